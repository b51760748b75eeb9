import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import type { Schema } from "../../src/api/records";
import { App } from "../../src/app";
import { armSummary, bundle, bundlePage, CATALOGUES, environment, estimate, manifest } from "../records";
import { cleared, click, found, rendered, serve, until, words } from "../rendered";

const A = "a".repeat(64);
const B = "b".repeat(64);

type Compared = Schema<"ComparedCell">;

function compared(changes: Partial<Compared> = {}): Compared {
  return {
    metric: "step_latency_us",
    unit: "µs",
    better: "lower",
    cell_a: "b4",
    cell_b: "b4",
    arm_a: "candidate",
    arm_b: "candidate",
    a: armSummary(),
    b: armSummary({ value: 300 }),
    comparable: true,
    differing: [],
    unverified: [],
    estimate: estimate({ value: 1.08 }),
    ...changes,
  };
}

function page(cells: Compared[], comparison: Partial<Schema<"Comparison">> = {}): Schema<"ComparePage"> {
  const comparable = cells.length > 0 && cells.every(one => one.comparable);
  const differing = cells.flatMap(one => one.differing);
  return {
    a: bundle({ bundle_id: A }),
    b: bundle({ bundle_id: B }),
    comparison: { a: A, b: B, comparable, differing, cells, only_a: [], only_b: [], ...comparison },
  };
}

async function shown(answer: Schema<"ComparePage">): Promise<HTMLElement> {
  cleared();
  const other = manifest({ environment: environment({ driver_version: "575.51" }) });
  serve({
    ...CATALOGUES,
    [`/api/v1/compare?a=${A}&b=${B}`]: answer,
    [`/api/v1/bundles/${A}`]: bundlePage(),
    [`/api/v1/bundles/${B}`]: bundlePage({ manifest: other }),
  });
  history.replaceState(null, "", `/compare?a=${A}&b=${B}`);
  const box = rendered(<App />);
  await until(() => box.querySelector("#settings table") !== null);
  return box;
}

test("comparable cells stand side by side with the ratio of B to A", async () => {
  const box = await shown(page([compared()]));
  expect(words(found(box, ".note"))).toContain("Comparable. All 1 pair of cells agree");
  const row = words(found(box, "#cells tbody tr"));
  for (const part of ["325.7 µs", "300.0 µs", "1.080×", "95 %: 1.597 to 1.605", "yes"])
    expect(row).toContain(part);
});

test("what cannot be compared names the field and both values, and has no ratio", async () => {
  const differing = [{ field: "achieved_concurrency", a: "2.00", b: "4.00" }];
  const box = await shown(page([compared(), compared({ comparable: false, differing, estimate: null })]));
  expect(words(found(box, ".note"))).toContain("Comparable in 1 of 2 pairs of cells.");
  expect(words(found(box, ".note li"))).toBe("achieved_concurrency: A 2.00, B 4.00");
  const rows = [...box.querySelectorAll("#cells tbody tr")].map(words);
  expect(rows[1]).toContain("not stated");
  expect(rows[1]).toContain("achieved_concurrency: A 2.00, B 4.00");
});

test("bundles without a cell in common say so, and list what only one of them has", async () => {
  const box = await shown(page([], { only_a: ["b1", "b4"] }));
  expect(words(found(box, ".note"))).toBe("The two bundles have no cell in common.");
  expect(words(found(box, "#cells"))).toContain("only in A b1, b4");
});

test("machines and configurations show what differs; everything only when asked, and the address remembers it", async () => {
  const box = await shown(page([compared()]));
  const rows = () => [...box.querySelectorAll("#settings tbody tr")].map(words);
  expect(rows()).toEqual(["machine driverunknown575.51differs"]);
  await click(found(box, "#settings input"));
  await until(() => rows().length > 10);
  expect(new URLSearchParams(location.search).get("all")).toBe("1");
});

test("bundles are chosen by id or from the list, and the address holds the choice", async () => {
  serve({ ...CATALOGUES, "/api/v1/bundles": { items: [bundle({ bundle_id: A })], next_cursor: null } });
  history.replaceState(null, "", "/compare");
  const box = rendered(<App />);
  await until(() => box.querySelector("tbody") !== null);
  const compare = found<HTMLButtonElement>(box, "button[type=submit]");
  expect(compare.disabled).toBe(true);
  await click(found(box, "tbody button"));
  expect(location.search).toBe(`?a=${A}`);
  const second = box.querySelectorAll<HTMLInputElement>("input")[1];
  if (second === undefined) throw new Error("there is no second field");
  await act(async () => {
    second.value = ` ${B} `;
    second.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await click(found(box, "button[type=submit]"));
  expect(location.search).toBe(`?a=${A}&b=${B}`);
});
