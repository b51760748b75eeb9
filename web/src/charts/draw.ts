import * as Plot from "@observablehq/plot";
import { bounds, type Interval, type IntervalChartProps } from "./props";

const ROUGHLY_A_CHARACTER = 6.6;
const AXIS_HEIGHT = 24;
const EDGE = 14;

/** How tall a row is: labels stand beside the intervals where there is room, else above them. */
export function rowHeight(width: number): number {
  return isWide(width) ? 28 : 42;
}

function isWide(width: number): boolean {
  return width >= 480;
}

/**
 * Draws intervals, one below the other, over a shared axis.
 *
 * Plot adds a style element to what it draws, which the content security policy forbids; its rules stand in
 * styles/charts.css instead, and the element is taken out before the drawing reaches the page.
 */
export function draw(props: IntervalChartProps, width: number, label: string): Element {
  const { rows, kind, claimed } = props;
  const longest = Math.max(...rows.map(row => row.label.length)) * ROUGHLY_A_CHARACTER + 12;
  const gutter = isWide(width) ? Math.min(longest, width * 0.55) : EDGE;
  const middle = isWide(width) ? 0 : 9;
  const ticks = Math.max(3, Math.floor((width - gutter) / 80));
  const drawing = Plot.plot({
    width,
    height: rows.length * rowHeight(width) + AXIS_HEIGHT,
    marginTop: 0,
    marginBottom: AXIS_HEIGHT,
    marginLeft: gutter,
    marginRight: EDGE,
    className: "plot",
    ariaLabel: label,
    x: { domain: extent(props), label: null },
    y: { domain: rows.map(row => row.id), axis: null, padding: 0 },
    marks: [
      Plot.gridX({ ticks, stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.barX(
        rows.filter(row => row.noise !== null),
        { y: "id", x1: below, x2: "noise", fill: "var(--noise)", insetTop: 2, insetBottom: 2 },
      ),
      Plot.ruleX([kind === "ratio" ? 1 : 0], { stroke: "var(--ink)", strokeWidth: 1.5 }),
      Plot.ruleX(bounds(claimed), { stroke: "var(--accent)", strokeWidth: 2, strokeDasharray: "5 3" }),
      Plot.link(rows, { x1: "low", x2: "high", y: "id", stroke: "var(--ink)", strokeWidth: 2, dy: middle }),
      ...(["low", "high"] as const).map(end =>
        Plot.text(rows, { x: end, y: "id", text: () => "|", fill: "var(--ink)", fontSize: 11, dy: middle }),
      ),
      Plot.dot(rows, { x: "value", y: "id", r: 4, fill: "var(--ink)", dy: middle }),
      Plot.text(rows, {
        y: "id",
        text: "label",
        frameAnchor: "left",
        textAnchor: "start",
        dx: isWide(width) ? -gutter : 0,
        dy: isWide(width) ? 0 : -10,
        fill: "var(--ink)",
        stroke: "var(--surface)",
        strokeWidth: 5,
        lineWidth: (isWide(width) ? gutter - 8 : width) / 12,
        textOverflow: "ellipsis-end",
      }),
      Plot.axisX({ ticks, tickSize: 3, label: null, tickFormat: (value: number) => tick(value, kind) }),
    ],
  });
  drawing.querySelector("style")?.remove();
  for (const part of drawing.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label"); // an image is one
  drawing.setAttribute("role", "img");
  return drawing;
}

function below(row: Interval): number {
  return 1 / (row.noise ?? 1);
}

function extent({ rows, kind, claimed }: IntervalChartProps): [number, number] {
  const noise = rows.flatMap(row => (row.noise === null ? [] : [below(row), row.noise]));
  const ends = rows.flatMap(row => [row.low, row.value, row.high]);
  const shown = [kind === "ratio" ? 1 : 0, ...bounds(claimed), ...noise, ...ends];
  const low = Math.min(...shown);
  const high = Math.max(...shown);
  const margin = (high - low || 0.02) * 0.05;
  return [low - margin, high + margin];
}

function tick(value: number, kind: IntervalChartProps["kind"]): string {
  const scaled = kind === "ratio" ? value : 100 * value;
  const text = Number(scaled.toPrecision(6)).toString().replace("-", "−");
  return kind === "ratio" ? `${text}×` : text;
}
