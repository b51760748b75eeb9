/** One interval to draw. */
export interface Interval {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The noise floor as a ratio above 1; null where it is not known or does not apply. */
  readonly noise: number | null;
}

/** Where a claimed relation begins and ends on the axis; null: it has no such end. */
export interface Bounds {
  readonly low: number | null;
  readonly high: number | null;
}

/** What a chart of intervals shows. */
export interface IntervalChartProps {
  /** Names the chart. */
  readonly title: string;
  readonly kind: "ratio" | "difference";
  readonly rows: readonly Interval[];
  /** The claim; null: none, or none that has a place on the axis. */
  readonly claimed: Bounds | null;
  /** What the estimates are held against; the baseline if not said. */
  readonly against?: string;
}

/** The ends that there are. */
export function bounds(claimed: Bounds | null): readonly number[] {
  return [claimed?.low, claimed?.high].filter(bound => typeof bound === "number");
}
