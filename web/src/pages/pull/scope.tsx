import type { Schema } from "../../api/records";
import { counted, NONE, share } from "../../format/numbers";
import type { Word } from "../../format/words";
import { Fold } from "../../parts/fold";
import { Empty } from "../../parts/note";
import { State } from "../../parts/state";
import { type Column, Table } from "../../parts/table";
import { BundleLink } from "../../parts/text";

type Cell = Schema<"ScopeCell">;
type Aspect = Schema<"Aspect">;
type Axis = "tp" | "context" | "speculation" | "dcp";

const AXES: readonly (readonly [Axis, string])[] = [
  ["tp", "TP"],
  ["context", "context"],
  ["speculation", "speculation"],
  ["dcp", "DCP"],
];
const ASPECTS = ["performance", "correctness", "path"] as const;
const WORDS: Readonly<Record<Aspect["state"], Omit<Word, "text">>> = {
  shown: { tone: "good", sign: "check" },
  against: { tone: "bad", sign: "cross" },
  missing: { tone: "quiet", sign: "empty" },
};

/** Where the change is said to hold, with what there is to show for each cell, and the holes. */
export function Scope({ scope }: { readonly scope: Schema<"ScopeMap"> | null }) {
  if (scope === null) {
    return (
      <Empty>
        No scope is declared. An item <code>{"- scope: {batch: [1, 64], tp: [8]}"}</code> of the claims block
        says where the change holds; every cell of it is then shown here with its evidence.
      </Empty>
    );
  }
  const whole = scope.cells.filter(cell => cell.holes.length === 0).length;
  return (
    <>
      <p>
        <State
          word={
            scope.holes.length === 0
              ? { text: "no hole", tone: "good", sign: "check" }
              : { text: counted(scope.holes.length, "hole"), tone: "doubt", sign: "warning" }
          }
        />{" "}
        {whole} of {counted(scope.cells.length, "cell")} have performance, correctness and path evidence for
        the present head.
      </p>
      <Grid cells={scope.cells} />
      {scope.features.length > 0 && <Features features={scope.features} />}
      <Fold summary="Every cell with its evidence">{() => <Cells cells={scope.cells} />}</Fold>
    </>
  );
}

interface Row {
  readonly name: string;
  readonly cells: ReadonlyMap<number | null, Cell>;
}

/** One column for each batch, one row for each combination of the other axes. */
function Grid({ cells }: { readonly cells: readonly Cell[] }) {
  const batches = [...new Set(cells.map(cell => cell.batch))];
  const rows = new Map<string, Map<number | null, Cell>>();
  for (const cell of cells) {
    const name = placed(cell);
    const row = rows.get(name) ?? new Map<number | null, Cell>();
    row.set(cell.batch, cell);
    rows.set(name, row);
  }
  const listed: Row[] = [...rows].map(([name, row]) => ({ name, cells: row }));
  const columns: Column<Row>[] = [
    { head: "where", cell: row => row.name },
    ...batches.map(batch => ({
      head: batch === null ? "any batch" : `batch ${batch}`,
      cell: (row: Row) => <Square cell={row.cells.get(batch)} />,
    })),
  ];
  return <Table caption="The declared scope" rows={listed} rowKey={row => row.name} columns={columns} />;
}

function Square({ cell }: { readonly cell: Cell | undefined }) {
  if (cell === undefined) return <>{NONE}</>;
  return (
    <>
      {ASPECTS.map(name => (
        <span class="line" key={name}>
          <State word={{ ...WORDS[cell[name].state], text: `${name} ${cell[name].state}` }} />
        </span>
      ))}
      {cell.headroom !== null && (
        <span class="line quiet">
          headroom {share(cell.headroom.headroom)} ({cell.headroom.limited_by})
        </span>
      )}
    </>
  );
}

function Cells({ cells }: { readonly cells: readonly Cell[] }) {
  return (
    <Table
      caption="Cells of the declared scope"
      rows={cells}
      rowKey={key}
      rowClass={cell => (cell.holes.length > 0 ? "differs" : "")}
      columns={[
        {
          head: "cell",
          cell: cell => (cell.batch === null ? placed(cell) : `batch ${cell.batch}, ${placed(cell)}`),
        },
        ...ASPECTS.map(name => ({
          head: name,
          wide: true,
          cell: (cell: Cell) => <Evidence aspect={cell[name]} />,
        })),
        { head: "headroom", wide: true, cell: cell => <Headroom bound={cell.headroom} /> },
      ]}
    />
  );
}

function Features({ features }: { readonly features: readonly Schema<"ScopeFeature">[] }) {
  return (
    <Table
      caption="Features in the declared scope"
      rows={features}
      rowKey={one => one.feature}
      columns={[
        { head: "feature", cell: one => <code>{one.feature}</code> },
        { head: "evidence", wide: true, cell: one => <Evidence aspect={one.evidence} /> },
      ]}
    />
  );
}

function Evidence({ aspect }: { readonly aspect: Aspect }) {
  return (
    <>
      <State word={{ ...WORDS[aspect.state], text: aspect.state }} />
      <span class="line">{aspect.detail}</span>
      {aspect.bundle_id !== null && <BundleLink id={aspect.bundle_id} />}
    </>
  );
}

function Headroom({ bound }: { readonly bound: Schema<"PhysicsBound"> | null }) {
  if (bound === null) return <span class="quiet">no bound is known</span>;
  return (
    <>
      {share(bound.headroom)}
      <span class="line quiet">
        least {bound.least_us.toFixed(1)} µs, limited by {bound.limited_by}
      </span>
    </>
  );
}

function placed(cell: Cell): string {
  const parts = AXES.flatMap(([axis, name]) => (cell[axis] === null ? [] : [`${name} ${cell[axis]}`]));
  return parts.join(", ") || "everywhere";
}

function key(cell: Cell): string {
  return `${cell.batch} ${placed(cell)}`;
}
