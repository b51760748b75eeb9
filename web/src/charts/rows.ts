import type { CellSummary, Estimate } from "../api/records";
import { coordinates } from "../format/cells";
import type { Interval } from "./props";

/** The cells of one metric and one kind of estimate as intervals to draw; cells without an estimate have none. */
export function intervalsOf(cells: readonly CellSummary[], kind: Estimate["kind"]): Interval[] {
  return cells.flatMap(cell => {
    if (cell.estimate === null || cell.estimate.kind !== kind) return [];
    return [
      {
        id: `${cell.cell.id} ${cell.cell.metric}`,
        label: coordinates(cell.cell),
        value: cell.estimate.value,
        low: cell.estimate.low,
        high: cell.estimate.high,
        noise: cell.noise_floor?.ratio ?? null,
      },
    ];
  });
}
