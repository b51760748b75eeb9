import { expect, test } from "vitest";
import type { Schema } from "../../src/api/records";
import { Answers } from "../../src/pages/bundle/answers";
import { Challenges } from "../../src/pages/pull/challenges";
import { Scope } from "../../src/pages/pull/scope";
import { BUNDLE, bundlePage } from "../records";
import { cleared, click, found, rendered, until, words } from "../rendered";

const missing: Schema<"Aspect"> = { state: "missing", detail: "no timed cell", bundle_id: null, cell: null };
const shown: Schema<"Aspect"> = {
  state: "shown",
  detail: "1.602x [1.5, 1.7]",
  bundle_id: BUNDLE,
  cell: "b4",
};

function cell(changes: Partial<Schema<"ScopeCell">> = {}): Schema<"ScopeCell"> {
  return {
    batch: 4,
    tp: 8,
    context: 8192,
    speculation: null,
    dcp: null,
    performance: shown,
    correctness: shown,
    path: shown,
    holes: [],
    headroom: { least_us: 812.4, limited_by: "memory", headroom: 0.4167 },
    ...changes,
  };
}

const HOLE = cell({
  batch: 64,
  performance: missing,
  path: { ...shown, state: "against" },
  holes: ["performance", "path"],
  headroom: null,
});
const MAP: Schema<"ScopeMap"> = {
  cells: [cell(), HOLE],
  features: [{ feature: "logprobs", evidence: missing }],
  holes: ["batch 64: performance, no timed cell", "batch 64: path, stock", "logprobs: no accuracy task"],
};

test("the grid has a column for each batch and says for each cell what is shown, against, or missing", () => {
  cleared();
  const box = rendered(<Scope scope={MAP} />);
  expect(words(box)).toContain("3 holes 1 of 2 cells have performance, correctness and path evidence");
  const heads = [...found(box, "table").querySelectorAll("thead th")].map(head => head.textContent);
  expect(heads).toEqual(["where", "batch 4", "batch 64"]);
  const [row] = found(box, "table").querySelectorAll("tbody tr");
  const [where, whole, holed] = [...(row?.children ?? [])].map(one => words(one as HTMLElement));
  expect(where).toBe("TP 8, context 8192");
  expect(whole).toContain("performance shown");
  expect(whole).toContain("headroom 41.6 % (memory)");
  expect(holed).toContain("performance missing");
  expect(holed).toContain("path against");
  expect(holed).not.toContain("headroom");
});

test("behind the grid stands a table with every cell's evidence and its bundle", async () => {
  cleared();
  const box = rendered(<Scope scope={MAP} />);
  expect(words(box)).not.toContain("least 812.4");
  await click(found(box, "summary"));
  await until(() => box.querySelectorAll("table").length === 3);
  const table = words([...box.querySelectorAll("table")].at(-1) as HTMLElement);
  expect(table).toContain("batch 4, TP 8, context 8192");
  expect(table).toContain("1.602x [1.5, 1.7]");
  expect(table).toContain("least 812.4 µs, limited by memory");
  expect(table).toContain("no bound is known");
  expect(box.querySelector(`a[href="/bundles/${BUNDLE}"]`)).not.toBeNull();
});

test("features are listed, and no hole is said in words", () => {
  cleared();
  const box = rendered(<Scope scope={{ ...MAP, holes: [], cells: [cell({ batch: null })] }} />);
  expect(words(box)).toContain("no hole");
  expect(words(box)).toContain("any batch");
  expect(words(box)).toContain("logprobs");
});

test("without a declared scope the page says how to declare one", () => {
  cleared();
  expect(words(rendered(<Scope scope={null} />))).toContain("No scope is declared");
});

test("challenges are counted by their fates", () => {
  cleared();
  const tally = { issued: 5, open: 1, used: 2, abandoned: 1, expired: 1 };
  const box = rendered(<Challenges challenges={[]} tally={tally} />);
  expect(words(box)).toContain("5 challenges issued: 2 used, 1 open, 1 abandoned, 1 expired.");
});

test("a bundle's answers: where streams part, and how many known answers were right", () => {
  cleared();
  const { assessment } = bundlePage();
  if (assessment === null) throw new Error("expected an assessment");
  const streams: Schema<"StreamFacts">[] = [
    {
      eval_id: "accuracy",
      greedy: { pairs: 8, equal: 6, near_ties: 1, confident: 1, unknown: 0, first_position: 5 },
      sampled: { statistic: 3.2, categories: 8, p_value: 0.87 },
    },
  ];
  const scores: Schema<"SliceScore">[] = [{ arm: "candidate", known: 8, right: 7 }];
  const box = rendered(<Answers assessment={{ ...assessment, streams, slice_scores: scores }} />);
  expect(words(box)).toContain("1 near tie, 1 confident disagreement, 0 unknownearliest at token 5");
  expect(words(box)).toContain("over 8 categories, p 0.870");
  expect(words(box)).toContain("7 of 8");
  cleared();
  expect(
    words(rendered(<Answers assessment={{ ...assessment, streams: [], slice_scores: [] }} />)),
  ).toContain("no token");
});
