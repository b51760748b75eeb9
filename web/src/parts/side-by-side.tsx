import type { Entry } from "../format/entries";
import { NONE } from "../format/numbers";
import { Icon } from "./icon";
import { Table } from "./table";
import { Unknown } from "./text";

/** One side: its name and what is known of it. */
export interface Side {
  readonly head: string;
  readonly entries: readonly Entry[];
}

interface Row {
  readonly key: string;
  readonly group: string;
  readonly name: string;
  readonly values: readonly (string | undefined)[];
  readonly differs: boolean;
}

interface SideBySideProps {
  readonly caption: string;
  readonly sides: readonly Side[];
  /** Leave out what is the same on all sides. */
  readonly onlyDiffering?: boolean;
}

/** Facts of several sides, line by line; lines that differ are marked. */
export function SideBySide({ caption, sides, onlyDiffering = false }: SideBySideProps) {
  const rows = merge(sides).filter(row => row.differs || !onlyDiffering);
  if (rows.length === 0) return <p class="quiet">{caption}: nothing differs.</p>;
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={row => row.key}
      rowClass={row => (row.differs ? "differs" : "")}
      columns={[
        {
          head: "what",
          cell: row => (
            <>
              <span class="quiet">{row.group}</span> {row.name}
            </>
          ),
        },
        ...sides.map((side, index) => ({
          head: side.head,
          cell: (row: Row) => <Value value={row.values[index]} />,
        })),
        { head: <span class="hidden">difference</span>, cell: row => row.differs && <Differs /> },
      ]}
    />
  );
}

function Differs() {
  return (
    <span class="state tone-apart">
      <Icon sign="unequal" />
      differs
    </span>
  );
}

/** A captured value; what is unknown looks unknown. */
export function Value({ value }: { readonly value: string | undefined }) {
  if (value === undefined) return <span class="quiet">{NONE}</span>;
  if (value === "unknown") return <Unknown />;
  return <span class={/^[0-9a-f]{40,64}$/.test(value) ? "digest" : ""}>{value}</span>;
}

function merge(sides: readonly Side[]): Row[] {
  const keyed = sides.map(side => new Map(side.entries.map(entry => [keyOf(entry), entry])));
  const all = new Map(sides.flatMap(side => side.entries).map(entry => [keyOf(entry), entry]));
  return [...all].map(([key, { group, name }]) => {
    const values = keyed.map(entries => entries.get(key)?.value);
    return { key, group, name, values, differs: new Set(values).size > 1 };
  });
}

function keyOf({ group, name }: Entry): string {
  return `${group}\n${name}`;
}
