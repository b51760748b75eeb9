import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import { short } from "../../format/text";
import { comparePath } from "../../links";
import { Await } from "../../parts/await";
import { BundleTable } from "../../parts/bundles";
import { Empty } from "../../parts/note";

interface PickerProps {
  readonly a: string;
  readonly b: string;
}

/** Chooses the two bundles: by id, or from those that came in last. */
export function Picker({ a, b }: PickerProps) {
  const [, go] = useLocation();
  const [first, setFirst] = useState(a);
  const [second, setSecond] = useState(b);
  const show = (left: string, right: string) =>
    go(comparePath(left.trim() || undefined, right.trim() || undefined));
  return (
    <>
      <form
        class="picker"
        onSubmit={event => {
          event.preventDefault();
          show(first, second);
        }}
      >
        <Field label="A" value={first} onChange={setFirst} />
        <Field label="B" value={second} onChange={setSecond} />
        <div class="picker-buttons">
          <button type="submit" class="primary" disabled={first.trim() === "" || second.trim() === ""}>
            Compare
          </button>
          <button type="button" disabled={first === "" && second === ""} onClick={() => show(second, first)}>
            Swap A and B
          </button>
        </div>
      </form>
      {(a === "" || b === "") && <Recent a={a} b={b} choose={show} />}
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ label, value, onChange }: FieldProps) {
  return (
    <label class="field">
      <span>Bundle {label}</span>
      <input
        type="text"
        value={value}
        placeholder="64 hexadecimal digits"
        spellcheck={false}
        autocomplete="off"
        onInput={event => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

interface RecentProps extends PickerProps {
  readonly choose: (a: string, b: string) => void;
}

function Recent({ a, b, choose }: RecentProps) {
  const loaded = useAnswer("/api/v1/bundles");
  return (
    <>
      <h2>Bundles that came in last</h2>
      <Await loaded={loaded} what="bundles">
        {list =>
          list.items.length === 0 ? (
            <Empty>No bundle was handed in yet; there is nothing to compare.</Empty>
          ) : (
            <BundleTable
              bundles={list.items}
              action={({ bundle_id: id }) => (
                <span class="choices">
                  <button type="button" aria-pressed={id === a} onClick={() => choose(id, b)}>
                    as A<Of id={id} />
                  </button>
                  <button type="button" aria-pressed={id === b} onClick={() => choose(a, id)}>
                    as B<Of id={id} />
                  </button>
                </span>
              )}
            />
          )
        }
      </Await>
    </>
  );
}

/** Tells the buttons of one row from those of another where rows are not seen. */
function Of({ id }: { readonly id: string }) {
  return <span class="hidden">: bundle {short(id, 12)}</span>;
}
