import { expect, test } from "vitest";
import { coordinates, selected, speculation } from "../../src/format/cells";
import { cell, claim } from "../records";

test("a cell is named by the coordinates that are known", () => {
  const known = cell().cell;
  expect(coordinates(known)).toBe("batch 4 · context 64 · TP 1");
  expect(coordinates({ ...known, context_parallel: 8, task: "kda" })).toBe(
    "kda · batch 4 · context 64 · TP 1 · CP 8",
  );
  const unknown = { batch: "unknown", context_tokens: "unknown", tensor_parallel: "unknown" } as const;
  expect(coordinates({ ...known, ...unknown })).toBe("decode-step.b4.c64");
});

test("speculation is named with its method, and synthetic acceptance with its length", () => {
  expect(speculation({ kind: "none" })).toBeNull();
  expect(speculation("unknown")).toBeNull();
  expect(speculation({ kind: "natural", method: "ngram", drafts: 3 })).toBe(
    "natural speculation (ngram, 3 drafts)",
  );
  expect(speculation({ kind: "synthetic", method: "dspark", drafts: 8, acceptance_length: 6 })).toBe(
    "synthetic speculation (dspark, 8 drafts, 6 accepted)",
  );
});

test("a claim says which cells it is about", () => {
  expect(selected(claim())).toBe("batch 1, 4 · phase decode");
  const none = { batch: null, tp: null, cp: null, context: null, phase: null, speculation: null, task: null };
  expect(selected(claim({ cells: none }))).toBe("every cell of the metric");
  expect(selected(claim({ cells: none, acceptance: { kind: "synthetic", length: 6 }, suite: "full" }))).toBe(
    "acceptance synthetic 6 · suite full",
  );
});
