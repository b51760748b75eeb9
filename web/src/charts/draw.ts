import * as Plot from "@observablehq/plot";
import type { Interval, IntervalChartProps } from "./intervals";

const ROW_HEIGHT = 40;
const AXIS_HEIGHT = 24;
const LABEL_RISE = 13;

/**
 * Draws intervals, one below the other, over a shared axis.
 *
 * Plot adds a style element to what it draws, which the content security policy forbids; its rules stand in
 * styles/charts.css instead, and the element is taken out before the drawing reaches the page.
 */
export function draw({ rows, kind, claimed }: IntervalChartProps, width: number, label: string): Element {
  const noisy = rows.filter(row => row.noise !== null);
  const bounds = [claimed?.low, claimed?.high].filter(bound => typeof bound === "number");
  const drawing = Plot.plot({
    width,
    height: rows.length * ROW_HEIGHT + AXIS_HEIGHT,
    marginTop: 0,
    marginBottom: AXIS_HEIGHT,
    marginLeft: 12,
    marginRight: 12,
    className: "plot",
    ariaLabel: label,
    x: { domain: extent(rows, kind, bounds), label: null, tickFormat: tick(kind) },
    y: { domain: rows.map(row => row.id), axis: null, padding: 0.1 },
    marks: [
      Plot.gridX({ stroke: "var(--line)", strokeOpacity: 1, ticks: Math.max(3, Math.floor(width / 90)) }),
      Plot.barX(noisy, {
        y: "id",
        x1: (row: Interval) => 1 / (row.noise ?? 1),
        x2: "noise",
        fill: "var(--noise)",
      }),
      Plot.ruleX([kind === "ratio" ? 1 : 0], { stroke: "var(--ink)", strokeWidth: 1.5 }),
      Plot.ruleX(bounds, { stroke: "var(--accent)", strokeWidth: 2, strokeDasharray: "5 3" }),
      Plot.ruleY(rows, { y: "id", x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 2, dy: 5 }),
      Plot.tickX(rows, {
        y: "id",
        x: "low",
        stroke: "var(--ink)",
        strokeWidth: 2,
        insetTop: 20,
        insetBottom: 6,
      }),
      Plot.tickX(rows, {
        y: "id",
        x: "high",
        stroke: "var(--ink)",
        strokeWidth: 2,
        insetTop: 20,
        insetBottom: 6,
      }),
      Plot.dot(rows, { y: "id", x: "value", r: 4.5, fill: "var(--ink)", dy: 5 }),
      Plot.text(rows, {
        y: "id",
        text: "label",
        frameAnchor: "left",
        textAnchor: "start",
        dy: -LABEL_RISE + 2,
        fill: "var(--ink)",
        stroke: "var(--surface)",
        strokeWidth: 4,
        lineWidth: (width - 24) / 12,
        textOverflow: "ellipsis-end",
      }),
      Plot.axisX({
        ticks: Math.max(3, Math.floor(width / 90)),
        tickSize: 3,
        label: null,
        tickFormat: tick(kind),
      }),
    ],
  });
  drawing.querySelector("style")?.remove();
  drawing.setAttribute("role", "img");
  return drawing;
}

function extent(
  rows: readonly Interval[],
  kind: "ratio" | "difference",
  bounds: readonly number[],
): [number, number] {
  const noise = rows.flatMap(row => (row.noise === null ? [] : [1 / row.noise, row.noise]));
  const shown = [
    kind === "ratio" ? 1 : 0,
    ...bounds,
    ...noise,
    ...rows.flatMap(row => [row.low, row.value, row.high]),
  ];
  const low = Math.min(...shown);
  const high = Math.max(...shown);
  const margin = (high - low || 0.02) * 0.06;
  return [low - margin, high + margin];
}

function tick(kind: "ratio" | "difference"): (value: number) => string {
  return value => {
    const text = Number(value.toPrecision(6)).toString().replace("-", "−");
    return kind === "ratio" ? `${text}×` : text;
  };
}
