import { useAnswer } from "../../api/answer";
import type { BundleRef, Schema } from "../../api/records";
import { IntervalChart } from "../../charts/intervals";
import type { Interval } from "../../charts/props";
import { counted } from "../../format/numbers";
import { Await } from "../../parts/await";
import { ArmNumbers, Differing, EstimateNumbers } from "../../parts/cells";
import { Metric } from "../../parts/metrics";
import { Empty, Note } from "../../parts/note";
import { Section } from "../../parts/page";
import { State, Trust } from "../../parts/state";
import { Table } from "../../parts/table";
import { BundleLink, Sha } from "../../parts/text";
import { Settings } from "./settings";

type Compared = Schema<"ComparedCell">;
type Comparison = Schema<"Comparison">;

interface ResultProps {
  readonly a: string;
  readonly b: string;
}

/** What comes out of a comparison, and where there is none the field that stands in the way. */
export function Result({ a, b }: ResultProps) {
  const loaded = useAnswer("/api/v1/compare", { query: { a, b } });
  return (
    <Await loaded={loaded} what="the comparison">
      {page => (
        <>
          <Sides a={page.a} b={page.b} />
          <Answer comparison={page.comparison} />
          <Section id="cells" title="Cells">
            <Cells cells={page.comparison.cells} />
            <Alone name="A" cells={page.comparison.only_a} />
            <Alone name="B" cells={page.comparison.only_b} />
          </Section>
          <Section id="settings" title="Environment and configuration">
            <Settings a={a} b={b} />
          </Section>
        </>
      )}
    </Await>
  );
}

function Sides({ a, b }: { readonly a: BundleRef; readonly b: BundleRef }) {
  return (
    <Table
      caption="The two bundles"
      rows={[
        { name: "A", bundle: a },
        { name: "B", bundle: b },
      ]}
      rowKey={row => row.name}
      columns={[
        { head: "side", cell: row => row.name },
        { head: "bundle", cell: row => <BundleLink id={row.bundle.bundle_id} /> },
        { head: "commit", cell: row => <Sha value={row.bundle.head_sha} /> },
        { head: "suite", cell: row => row.bundle.suite ?? "imported" },
        { head: "origin", cell: row => <Trust trust={row.bundle.trust} /> },
      ]}
    />
  );
}

function Answer({ comparison }: { readonly comparison: Comparison }) {
  const { cells, differing } = comparison;
  const agreeing = cells.filter(cell => cell.comparable).length;
  if (cells.length === 0) return <Note tone="plain">The two bundles have no cell in common.</Note>;
  if (comparison.comparable) {
    return (
      <Note tone="good">
        <strong>Comparable.</strong> All {counted(cells.length, "pair")} of cells agree in every field of the
        comparability key.
      </Note>
    );
  }
  return (
    <Note tone="apart">
      <strong>
        {agreeing === 0
          ? "Not comparable."
          : `Comparable in ${agreeing} of ${counted(cells.length, "pair")} of cells.`}
      </strong>{" "}
      These fields stand in the way:
      <ul>
        {differing.map(one => (
          <li key={`${one.field} ${one.a} ${one.b}`}>
            <code>{one.field}</code>: A {one.a}, B {one.b}
          </li>
        ))}
      </ul>
    </Note>
  );
}

function Cells({ cells }: { readonly cells: readonly Compared[] }) {
  if (cells.length === 0) return <Empty>There is no pair of cells.</Empty>;
  const metrics = [...new Set(cells.map(cell => cell.metric))];
  return (
    <>
      <Table
        caption="Cells of A and B"
        rows={cells}
        rowKey={nameOf}
        columns={[
          { head: "cell", cell: row => <Name cell={row} /> },
          { head: "A", numeric: true, cell: row => <ArmNumbers arm={row.a} unit={row.unit} /> },
          { head: "B", numeric: true, cell: row => <ArmNumbers arm={row.b} unit={row.unit} /> },
          { head: "B against A", numeric: true, cell: row => <EstimateNumbers estimate={row.estimate} /> },
          {
            head: "comparable",
            cell: row => <Differing differing={row.differing} unverified={row.unverified} a="A" b="B" />,
          },
        ]}
      />
      <div class="charts">
        {metrics.map(metric => (
          <Chart key={metric} metric={metric} cells={cells.filter(cell => cell.metric === metric)} />
        ))}
      </div>
    </>
  );
}

function Name({ cell }: { readonly cell: Compared }) {
  return (
    <>
      <Metric name={cell.metric} />
      <span class="line">
        {cell.cell_a === cell.cell_b ? cell.cell_a : `${cell.cell_a} against ${cell.cell_b}`}
      </span>
      <span class="line quiet">
        {cell.arm_a === cell.arm_b ? cell.arm_a : `${cell.arm_a} against ${cell.arm_b}`}
      </span>
    </>
  );
}

function Chart({ metric, cells }: { readonly metric: string; readonly cells: readonly Compared[] }) {
  const kind = cells.find(cell => cell.estimate !== null)?.estimate?.kind;
  if (kind === undefined) return null;
  const rows = cells.flatMap((cell): Interval[] => {
    if (cell.estimate === null || cell.estimate.kind !== kind) return [];
    const { value, low, high } = cell.estimate;
    return [{ id: nameOf(cell), label: `${cell.cell_b}, ${cell.arm_b}`, value, low, high, noise: null }];
  });
  return (
    <div>
      <h3>
        <code>{metric}</code>, B against A
      </h3>
      <IntervalChart title={`${metric}, B against A`} kind={kind} rows={rows} claimed={null} against="A" />
    </div>
  );
}

function Alone({ name, cells }: { readonly name: string; readonly cells: readonly string[] }) {
  if (cells.length === 0) return null;
  return (
    <p>
      <State word={{ text: `only in ${name}`, tone: "quiet", sign: "empty" }} /> {cells.join(", ")}
    </p>
  );
}

function nameOf(cell: Compared): string {
  return `${cell.metric} ${cell.cell_a} ${cell.arm_a} ${cell.cell_b} ${cell.arm_b}`;
}
