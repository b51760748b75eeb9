import type { ArmName, CellSummary, Difference, Schema } from "../api/records";
import { coordinates } from "../format/cells";
import { count, estimated, interval, measured, NONE, offUnity, probability, share } from "../format/numbers";
import { Metric, Statistic } from "./metrics";
import { OutcomeState, State } from "./state";
import { type Column, Table } from "./table";
import { Unknown } from "./text";

/** A cell, and what it says about a claim if there is one. */
export interface CellRow {
  readonly cell: CellSummary;
  readonly verdict?: Schema<"CellVerdict">;
}

interface CellTableProps {
  readonly caption: string;
  readonly rows: readonly CellRow[];
}

/** Cells with both arms, as the service recomputed them from raw rows. */
export function CellTable({ caption, rows }: CellTableProps) {
  const verdicts: Column<CellRow>[] = rows.some(row => row.verdict !== undefined)
    ? [{ head: "outcome", cell: row => row.verdict && <OutcomeState outcome={row.verdict.outcome} /> }]
    : [];
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={row => `${row.cell.cell.id} ${row.cell.cell.metric}`}
      columns={[
        { head: "cell", cell: row => <CellName cell={row.cell} /> },
        ...verdicts,
        { head: "baseline", numeric: true, cell: row => <ArmValue cell={row.cell} arm="baseline" /> },
        { head: "candidate", numeric: true, cell: row => <ArmValue cell={row.cell} arm="candidate" /> },
        { head: "candidate against baseline", numeric: true, cell: row => <Comparison cell={row.cell} /> },
        { head: "noise floor, drift", numeric: true, cell: row => <Steadiness cell={row.cell} /> },
        { head: "specialized path", cell: row => <Paths cell={row.cell} /> },
        { head: "physics", numeric: true, cell: row => <Physics cell={row.cell} /> },
        { head: "comparable", cell: row => <Comparable cell={row.cell} /> },
      ]}
    />
  );
}

function CellName({ cell }: { readonly cell: CellSummary }) {
  return (
    <>
      <Metric name={cell.cell.metric} />
      <span class="line wraps">{coordinates(cell.cell)}</span>
      <span class="line wraps quiet">
        <Statistic name={cell.cell.metric} />
      </span>
    </>
  );
}

function ArmValue({ cell, arm }: { readonly cell: CellSummary; readonly arm: ArmName }) {
  const found = cell.arms.find(one => one.arm === arm);
  return found === undefined ? (
    <span class="quiet">no rows</span>
  ) : (
    <ArmNumbers arm={found} unit={cell.unit} />
  );
}

/** One arm's number with its spread and its samples. */
export function ArmNumbers({ arm, unit }: { readonly arm: Schema<"ArmSummary">; readonly unit: string }) {
  return (
    <>
      <strong>{measured(arm.value)}</strong> {arm.value !== null && unit}
      <span class="line">
        {arm.p10 === null && arm.p90 === null ? (
          <span class="quiet">p10, p90 not stated</span>
        ) : (
          <>
            p10 {measured(arm.p10)}, p90 {measured(arm.p90)}
          </>
        )}
      </span>
      <span class="line quiet">
        n {count(arm.samples)}
        {arm.blocks > 0 && <>, {count(arm.blocks)} blocks</>}
        {arm.failed > 0 && <>, {count(arm.failed)} failed</>}
      </span>
    </>
  );
}

function Comparison({ cell }: { readonly cell: CellSummary }) {
  if (cell.numerics !== null) {
    const { cases, outside_tolerance: outside, worst_case: worst, worst_share: by } = cell.numerics;
    return (
      <>
        {outside} of {cases} cases outside tolerance
        {worst !== null && by !== null && (
          <span class="line wraps quiet">
            worst: {worst}, {measured(by)} of its tolerance
          </span>
        )}
      </>
    );
  }
  return (
    <>
      <EstimateNumbers estimate={cell.estimate} />
      {cell.pairs !== null && <Flips pairs={cell.pairs} />}
    </>
  );
}

/** A ratio or difference with its interval. */
export function EstimateNumbers({ estimate }: { readonly estimate: Schema<"Estimate"> | null }) {
  if (estimate === null) return <span class="quiet">not stated</span>;
  return (
    <>
      <strong>{estimated(estimate.value, estimate.kind)}</strong>
      <span class="line">95 %: {interval(estimate.low, estimate.high, estimate.kind)}</span>
    </>
  );
}

function Flips({ pairs }: { readonly pairs: Schema<"Pairs"> }) {
  return (
    <span class="line wraps quiet">
      right in both {pairs.both}, only baseline {pairs.baseline_only}, only candidate {pairs.candidate_only},
      neither {pairs.neither}; McNemar p {probability(pairs.mcnemar_p)}
    </span>
  );
}

function Steadiness({ cell }: { readonly cell: CellSummary }) {
  return (
    <>
      {cell.noise_floor === null ? NONE : `± ${offUnity(cell.noise_floor.ratio)}`}
      {cell.drift !== null && (
        <span class="line">
          {cell.drift.exceeded ? (
            <State
              word={{ text: `drift ${offUnity(cell.drift.ratio)}, too much`, tone: "bad", sign: "warning" }}
            />
          ) : (
            <span class="quiet">drift {offUnity(cell.drift.ratio)}</span>
          )}
        </span>
      )}
      {cell.throttling !== "none" && (
        <span class="line quiet">
          {THROTTLING[cell.throttling]}
          {cell.excluded_blocks.length > 0 && ` (${cell.excluded_blocks.length} blocks)`}
        </span>
      )}
    </>
  );
}

const THROTTLING: Readonly<Record<Exclude<CellSummary["throttling"], "none">, string>> = {
  excluded: "throttled blocks left out",
  unplaced: "throttled, nobody knows when",
  unknown: "throttling unknown",
};

function Paths({ cell }: { readonly cell: CellSummary }) {
  return (
    <>
      {cell.arms.map(arm => (
        <span class="line" key={arm.arm}>
          {arm.arm}: <PathShare path={arm.path} />
        </span>
      ))}
    </>
  );
}

function PathShare({ path }: { readonly path: Schema<"ArmSummary">["path"] }) {
  if (path === null) return <span class="quiet">no engine</span>;
  if (path === "unknown") return <Unknown />;
  const total = path.specialized_steps + path.stock_steps;
  return (
    <>
      {count(path.specialized_steps)} of {count(total)} steps
      {path.specialized_steps > 0 && path.stock_steps > 0 && (
        <>, at least {share(path.lowest_share)} of a bucket</>
      )}
      {path.reasons[0] !== undefined && <span class="line wraps quiet">{path.reasons[0].reason}</span>}
    </>
  );
}

/** How far each arm's step is from the least time that the machine needs for it, and whether its kernels explain it. */
function Physics({ cell }: { readonly cell: CellSummary }) {
  const known = cell.arms.filter(arm => (arm.physics ?? arm.reconciliation ?? null) !== null);
  if (known.length === 0) return <span class="quiet">no bound</span>;
  return (
    <>
      {known.map(arm => (
        <span class="line" key={arm.arm}>
          {arm.arm}:{arm.physics && ` headroom ${share(arm.physics.headroom)}`}
          {arm.physics && (
            <span class="line quiet">
              least {measured(arm.physics.least_us)} µs, {arm.physics.limited_by}
            </span>
          )}
          {arm.reconciliation && (
            <span class="line quiet">
              kernels {measured(arm.reconciliation.kernels_us)} µs, gaps{" "}
              {measured(arm.reconciliation.gaps_us)} µs, residual {measured(arm.reconciliation.residual_us)}{" "}
              µs
            </span>
          )}
        </span>
      ))}
    </>
  );
}

function Comparable({ cell }: { readonly cell: CellSummary }) {
  if (cell.arms.length < 2) return <span class="quiet">one arm only</span>;
  return <Differing differing={cell.differing} unverified={cell.unverified} a="baseline" b="candidate" />;
}

interface DifferingProps {
  readonly differing: readonly Difference[];
  readonly unverified: readonly string[];
  readonly a: string;
  readonly b: string;
}

/** Whether two numbers may be compared, or the fields that stand in the way. */
export function Differing({ differing, unverified, a, b }: DifferingProps) {
  return (
    <>
      {differing.length === 0 ? (
        <State word={{ text: "yes", tone: "good", sign: "check" }} />
      ) : (
        <>
          <State word={{ text: "no", tone: "apart", sign: "unequal" }} />
          {differing.map(one => (
            <span class="line wraps" key={one.field}>
              <code>{one.field}</code>: {a} {one.a}, {b} {one.b}
            </span>
          ))}
        </>
      )}
      {unverified.length > 0 && (
        <span class="line wraps quiet">unknown in both: {unverified.join(", ")}</span>
      )}
    </>
  );
}
