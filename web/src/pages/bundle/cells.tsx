import type { CellSummary } from "../../api/records";
import { IntervalChart } from "../../charts/intervals";
import { intervalsOf } from "../../charts/rows";
import { CellTable } from "../../parts/cells";
import { Empty } from "../../parts/note";

/** Every cell of a bundle. Cells of one metric share a chart; unlike metrics share no axis. */
export function Cells({ cells }: { readonly cells: readonly CellSummary[] }) {
  if (cells.length === 0) return <Empty>The bundle holds no cell with rows.</Empty>;
  const metrics = [...new Set(cells.map(cell => cell.cell.metric))];
  return (
    <>
      <p class="quiet">Recomputed by the service from the raw rows in this bundle.</p>
      <CellTable caption="Cells" rows={cells.map(cell => ({ cell }))} />
      <div class="charts">
        {metrics.map(metric => (
          <MetricChart
            key={metric}
            metric={metric}
            cells={cells.filter(cell => cell.cell.metric === metric)}
          />
        ))}
      </div>
    </>
  );
}

function MetricChart({ metric, cells }: { readonly metric: string; readonly cells: readonly CellSummary[] }) {
  const kind = cells.find(cell => cell.estimate !== null)?.estimate?.kind;
  if (kind === undefined) return null;
  return (
    <div>
      <h3>
        <code>{metric}</code>, candidate against baseline
      </h3>
      <IntervalChart
        title={`${metric}, candidate against baseline`}
        kind={kind}
        rows={intervalsOf(cells, kind)}
        claimed={null}
      />
    </div>
  );
}
