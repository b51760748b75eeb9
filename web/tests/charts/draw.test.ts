import { expect, test } from "vitest";
import { claimedBounds } from "../../src/charts/claimed";
import { draw } from "../../src/charts/draw";
import type { Interval, IntervalChartProps } from "../../src/charts/props";
import { intervalsOf } from "../../src/charts/rows";
import { cell, estimate } from "../records";

const rows: Interval[] = [
  { id: "one", label: "batch 1", value: 1.6, low: 1.5, high: 1.7, noise: 1.01 },
  { id: "two", label: "batch 4", value: 1.2, low: 1.1, high: 1.3, noise: null },
];

function drawn(changes: Partial<IntervalChartProps> = {}, width = 640): Element {
  return draw({ title: "t", kind: "ratio", rows, claimed: null, ...changes }, width, "in words");
}

test("is one image with a name, without a style element for the content security policy to forbid", () => {
  const drawing = drawn();
  expect(drawing.getAttribute("role")).toBe("img");
  expect(drawing.getAttribute("aria-label")).toBe("in words");
  expect(drawing.querySelector("style")).toBeNull();
  expect(drawing.outerHTML).not.toContain(" style=");
});

test("every interval has its dot and its label", () => {
  const drawing = drawn();
  expect(drawing.querySelectorAll("circle").length).toBe(2);
  for (const { label } of rows) expect(drawing.textContent).toContain(label);
});

test("marks the noise floor only where it is known, and the claim only where there is one", () => {
  expect(drawn().querySelectorAll("rect").length).toBe(1);
  const dashed = (drawing: Element) => drawing.querySelectorAll("[stroke-dasharray] line").length;
  expect(dashed(drawn())).toBe(0);
  expect(dashed(drawn({ claimed: { low: 1.4, high: null } }))).toBe(1);
  expect(dashed(drawn({ claimed: { low: 0.95, high: 1.05 } }))).toBe(2);
});

test("intervals lie where their numbers are", () => {
  const [first, second] = [...drawn().querySelectorAll("circle")].map(dot => Number(dot.getAttribute("cx")));
  expect(first).toBeGreaterThan(second ?? Number.NaN);
});

test("labels that are markup stay text", () => {
  const label = "<img src=x onerror=alert(1)>";
  const drawing = drawn({ rows: rows.map(row => ({ ...row, label })) });
  expect(drawing.querySelector("img")).toBeNull();
  expect(drawing.textContent).toContain("<img src=x");
});

test("differences have points on their axis", () => {
  const shown = rows.map(row => ({ ...row, value: 0, low: -0.08, high: 0.08, noise: null }));
  expect(drawn({ kind: "difference", rows: shown }).textContent).toMatch(/−8.*0.*8/);
});

test("a claim is marked where it follows from the claim alone", () => {
  expect(claimedBounds({ kind: "at_least", factor: 1.4 }, "ratio")).toEqual({ low: 1.4, high: null });
  expect(claimedBounds({ kind: "equal", within: 0.02 }, "difference")).toEqual({ low: -0.02, high: 0.02 });
  expect(claimedBounds({ kind: "no_regression", within: 0.02 }, "difference")).toEqual({
    low: -0.02,
    high: null,
  });
  expect(claimedBounds({ kind: "no_regression", within: 0.02 }, "ratio")).toBeNull();
  expect(claimedBounds({ kind: "within_tolerance" }, "difference")).toBeNull();
});

test("only cells with an estimate of the chart's kind are drawn", () => {
  const cells = [cell(), cell({ estimate: null }), cell({ estimate: estimate({ kind: "difference" }) })];
  expect(intervalsOf(cells, "ratio")).toEqual([
    {
      id: "decode-step.b4.c64 step_latency_us",
      label: "batch 4 · context 64 · TP 1",
      value: 1.602,
      low: 1.597,
      high: 1.605,
      noise: 1.002,
    },
  ]);
});
