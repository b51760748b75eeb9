import { expect, test } from "vitest";
import { CellTable } from "../../src/parts/cells";
import { FindingCounts, FindingList } from "../../src/parts/findings";
import { SideBySide } from "../../src/parts/side-by-side";
import { armSummary, cell, finding } from "../records";
import { found, rendered, words } from "../rendered";

function rowsOf(box: ParentNode): string[] {
  return [...box.querySelectorAll("tbody tr")].map(words);
}

test("facts that differ between two sides are marked in words", () => {
  const sides = [
    {
      head: "A",
      entries: [
        { group: "model", name: "weights", value: "one" },
        { group: "model", name: "size", value: "8" },
      ],
    },
    {
      head: "B",
      entries: [
        { group: "model", name: "weights", value: "two" },
        { group: "model", name: "size", value: "8" },
      ],
    },
  ];
  const rows = rowsOf(rendered(<SideBySide caption="Arms" sides={sides} />));
  expect(rows).toEqual(["model weightsonetwodiffers", "model size88"]);
  const differing = rowsOf(rendered(<SideBySide caption="Arms" sides={sides} onlyDiffering />));
  expect(differing).toEqual(["model weightsonetwodiffers"]);
});

test("a fact that only one side has differs, also from nothing", () => {
  const sides = [
    { head: "A", entries: [{ group: "packages", name: "numpy", value: "2.4.0" }] },
    { head: "B", entries: [] },
  ];
  expect(rowsOf(rendered(<SideBySide caption="c" sides={sides} />))).toEqual(["packages numpy2.4.0–differs"]);
  const same = rendered(<SideBySide caption="Arms" sides={[{ head: "A", entries: [] }]} onlyDiffering />);
  expect(words(same)).toBe("Arms: nothing differs.");
});

test("a cell shows both arms with spread, samples and unit, the ratio with its interval, and the noise floor", () => {
  const [row = ""] = rowsOf(rendered(<CellTable caption="Cells" rows={[{ cell: cell() }]} />));
  for (const part of [
    "325.7 µs",
    "p10 324.1, p90 327.3",
    "n 192, 8 blocks",
    "203.4 µs",
    "1.602×",
    "95 %: 1.597 to 1.605",
    "± 0.2 %",
    "baseline: 0 of 216 steps",
    "mode is stock",
    "yes",
  ]) {
    expect(row).toContain(part);
  }
});

test("a cell whose arms cannot be compared names the fields and both values", () => {
  const differing = [{ field: "achieved_concurrency", a: "2.00", b: "4.00" }];
  const box = rendered(
    <CellTable
      caption="c"
      rows={[{ cell: cell({ differing, estimate: null, unverified: ["hardware"] }) }]}
    />,
  );
  const [row = ""] = rowsOf(box);
  expect(row).toContain("not stated");
  expect(row).toContain("achieved_concurrency: baseline 2.00, candidate 4.00");
  expect(row).toContain("unknown in both: hardware");
});

test("what limits a cell is said: failures, too few samples, drift, throttling, a missing arm", () => {
  const arms = [armSummary({ failed: 3, p10: null, p90: null, value: null, path: "unknown" })];
  const limited = cell({
    arms,
    drift: { ratio: 1.08, exceeded: true },
    throttling: "excluded",
    excluded_blocks: [1, 2],
  });
  const [row = ""] = rowsOf(rendered(<CellTable caption="c" rows={[{ cell: limited }]} />));
  for (const part of [
    "3 failed",
    "p10, p90 not stated",
    "drift 8.0 %, too much",
    "throttled blocks left out (2 blocks)",
    "no rows",
    "one arm only",
    "baseline: unknown",
  ]) {
    expect(row).toContain(part);
  }
});

test("numerics count their cases, accuracy its flips", () => {
  const numerics = { cases: 12, outside_tolerance: 1, worst_case: "kda decode", worst_share: 1.5 };
  const [first = ""] = rowsOf(rendered(<CellTable caption="c" rows={[{ cell: cell({ numerics }) }]} />));
  expect(first).toContain("1 of 12 cases outside tolerance");
  expect(first).toContain("worst: kda decode, 1.500 of its tolerance");
  const pairs = { both: 24, baseline_only: 1, candidate_only: 0, neither: 7, mcnemar_p: 1 };
  const [second = ""] = rowsOf(rendered(<CellTable caption="c" rows={[{ cell: cell({ pairs }) }]} />));
  expect(second).toContain("right in both 24, only baseline 1, only candidate 0, neither 7; McNemar p 1.000");
});

test("findings are grouped, errors first, each with its hint and a link to its rule", () => {
  const box = rendered(
    <FindingList level={3} findings={[finding({ severity: "info", rule_id: "C-001" }), finding()]} />,
  );
  expect([...box.querySelectorAll("h3")].map(words)).toEqual(["1 error", "1 note"]);
  const first = found(box, "li");
  expect(found<HTMLAnchorElement>(first, "a").getAttribute("href")).toBe("/rules#P-001");
  expect(words(first)).toContain("Build the kernels with make kernels.");
  expect(words(first)).toContain("Effect: claims that it touches get no evidence from this bundle.");
});

test("no finding, and no check yet, are told apart", () => {
  expect(words(rendered(<FindingCounts counts={null} />))).toBe("not checked yet");
  expect(words(rendered(<FindingCounts counts={{ error: 0, warning: 0, info: 0 }} />))).toBe("none");
  expect(words(rendered(<FindingCounts counts={{ error: 1, warning: 2, info: 0 }} />))).toBe(
    "1 error2 warnings",
  );
});
