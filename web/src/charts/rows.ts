import type { CellSummary, Estimate } from "../api/records";
import { cellTitle } from "../format/cells";
import type { Interval } from "./intervals";

/** The cells of one kind of estimate as intervals to draw; cells without an estimate have none. */
export function intervalsOf(cells: readonly CellSummary[], kind: Estimate["kind"]): Interval[] {
  return cells.flatMap(cell => {
    if (cell.estimate === null || cell.estimate.kind !== kind) return [];
    return [
      {
        id: `${cell.cell.id} ${cell.cell.metric}`,
        label: cellTitle(cell),
        value: cell.estimate.value,
        low: cell.estimate.low,
        high: cell.estimate.high,
        noise: cell.noise_floor?.ratio ?? null,
      },
    ];
  });
}
