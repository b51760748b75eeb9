import { useSearchParams } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import type { ArmName, Manifest } from "../../api/records";
import { arm, type Entry, machine } from "../../format/entries";
import { Await } from "../../parts/await";
import { Empty } from "../../parts/note";
import { SideBySide } from "../../parts/side-by-side";

interface SettingsProps {
  readonly a: string;
  readonly b: string;
}

/** In what machines, code and configuration of two bundles differ. */
export function Settings({ a, b }: SettingsProps) {
  const [search, setSearch] = useSearchParams();
  const everything = search.get("all") === "1";
  const first = useAnswer("/api/v1/bundles/{bundle_id}", { path: { bundle_id: a } });
  const second = useAnswer("/api/v1/bundles/{bundle_id}", { path: { bundle_id: b } });
  const toggle = () =>
    setSearch(
      before => {
        const after = new URLSearchParams(before);
        if (everything) after.delete("all");
        else after.set("all", "1");
        return after;
      },
      { replace: true },
    );
  return (
    <>
      <label class="toggle">
        <input type="checkbox" checked={everything} onChange={toggle} /> also show what is the same
      </label>
      <Await loaded={first} what="bundle A">
        {left => (
          <Await loaded={second} what="bundle B">
            {right => <Tables a={left.manifest} b={right.manifest} everything={everything} />}
          </Await>
        )}
      </Await>
    </>
  );
}

interface TablesProps {
  readonly a: Manifest | null;
  readonly b: Manifest | null;
  readonly everything: boolean;
}

function Tables({ a, b, everything }: TablesProps) {
  if (a === null || b === null) return <Empty>The contents of one of the bundles are not shown.</Empty>;
  const named = (name: ArmName, manifest: Manifest): readonly Entry[] =>
    manifest.arms.filter(one => one.name === name).flatMap(arm);
  return (
    <>
      <h3>Environment</h3>
      <SideBySide
        caption="Environment"
        onlyDiffering={!everything}
        sides={[
          { head: "A", entries: machine(a.environment) },
          { head: "B", entries: machine(b.environment) },
        ]}
      />
      {(["baseline", "candidate"] as const).map(name => (
        <div key={name} class="stack">
          <h3>{name}</h3>
          <SideBySide
            caption={name}
            onlyDiffering={!everything}
            sides={[
              { head: "A", entries: named(name, a) },
              { head: "B", entries: named(name, b) },
            ]}
          />
        </div>
      ))}
    </>
  );
}
