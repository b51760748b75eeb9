import { act } from "preact/test-utils";
import { afterEach, expect, test } from "vitest";
import type { Schema } from "../src/api/records";
import { App } from "../src/app";
import { matches, readFilter } from "../src/pages/pulls/filter";
import { CATALOGUES, check, OLD_SHA, pull } from "./records";
import { click, found, rendered, serve, until, words } from "./rendered";

afterEach(() => {
  document.title = "";
});

type List = Schema<"PullList">;

const item = { pull: pull(), outcomes: [{ outcome: "supported", count: 2 }], bundles: 1, check: check() };
const ANSWERS = {
  ...CATALOGUES,
  "/api/v1/pulls": { items: [item], next_cursor: "next" },
  "/api/v1/pulls?cursor=next": { items: [{ ...item, outcomes: [], check: null }], next_cursor: null },
  "/api/v1/bundles": { items: [], next_cursor: null },
  "/api/v1/jobs": { items: [], next_cursor: null },
  "/api/v1/offers": { items: [], next_cursor: null },
  "/api/v1/rules": { items: [] },
  "/api/v1/suites": { items: [] },
  "/api/v1/status": {
    at: "2026-03-14T09:26:53Z",
    troubles: [],
    tasks_waiting: 0,
    oldest_waiting_s: 0,
    uploads_open: 0,
    checks_waiting: 0,
    jobs_waiting: 0,
    jobs_running: 0,
    nodes: 0,
  },
};

async function at(path: string): Promise<HTMLElement> {
  serve(ANSWERS);
  history.replaceState(null, "", path);
  const box = rendered(<App />);
  await until(() => box.querySelector(".loading") === null);
  return box;
}

test.each([
  ["/", "Pull requests"],
  ["/pulls", "Pull requests"],
  ["/bundles", "Bundles"],
  ["/compare", "Compare two bundles"],
  ["/queue", "Queue"],
  ["/nodes", "Nodes"],
  ["/rules", "Rules"],
  ["/suites", "Suites"],
  ["/status", "Status"],
  ["/nothing/here", "There is no such page"],
])("%s is the page %s", async (path, title) => {
  const box = await at(path);
  expect(words(found(box, "h1"))).toBe(title);
  expect(document.title).toBe(`${title} · byogpu`);
  expect(box.querySelectorAll("h1").length).toBe(1);
});

test("the first page says what this is; the list alone does not", async () => {
  expect(words(await at("/"))).toContain("Nothing typed is believed.");
  expect(words(await at("/pulls"))).not.toContain("Nothing typed is believed.");
});

test("a pull request in the list has its title, author, commit, outcomes and check", async () => {
  const row = words(found(await at("/pulls"), ".pulls li"));
  for (const part of [
    "Decode faster",
    "octo/kernels #7",
    "by contributor",
    "aaaaaaaaaa",
    "2 supported",
    "1 bundle",
    "check: success",
  ]) {
    expect(row).toContain(part);
  }
});

test("the next page is in the address", async () => {
  const box = await at("/pulls");
  await click(found(box, ".paging a"));
  await until(() => words(found(box, "main")).includes("no verdicts"));
  expect(location.search).toBe("?cursor=next");
  await click(found(box, ".paging a"));
  expect(location.search).toBe("");
});

test("the filter is in the address, and goes through the list page by page", async () => {
  const other = { ...item, pull: pull({ number: 8, title: "Closed", state: "closed" }), outcomes: [] };
  const asked = serve({
    ...CATALOGUES,
    "/api/v1/pulls": { items: [item, other], next_cursor: null },
    "/api/v1/pulls?limit=100": { items: [item], next_cursor: "more" },
    "/api/v1/pulls?cursor=more&limit=100": { items: [other], next_cursor: null },
  });
  history.replaceState(null, "", "/pulls");
  const box = rendered(<App />);
  await until(() => box.querySelectorAll(".pulls li").length === 2);
  const state = found<HTMLSelectElement>(box, "select");
  await act(async () => {
    state.value = "closed";
    state.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await until(() => box.querySelectorAll(".pulls li").length === 1);
  expect(location.search).toBe("?state=closed");
  expect(words(found(box, ".pulls li"))).toContain("Closed");
  expect(words(found(box, "main"))).toContain("1 of 2 pull requests looked through match.");
  expect(asked.slice(-2)).toEqual(["/api/v1/pulls?limit=100", "/api/v1/pulls?cursor=more&limit=100"]);
});

test("a filter that matches nothing says so", async () => {
  serve({ ...CATALOGUES, "/api/v1/pulls?limit=100": { items: [item], next_cursor: null } });
  history.replaceState(null, "", "/pulls?outcome=contradicted");
  const box = rendered(<App />);
  await until(() => box.querySelector(".empty") !== null);
  expect(words(found(box, ".empty"))).toBe("No pull request matches. Show all");
});

test.each([
  [{ state: "open" }, true],
  [{ state: "closed" }, false],
  [{ outcome: "supported" }, true],
  [{ outcome: "contradicted" }, false],
  [{ repository: "Octo/Kernels" }, true],
  [{ repository: "octo/kernel" }, false],
  [{ state: "open", outcome: "supported", repository: "octo/kernels" }, true],
  [{ state: "nonsense", outcome: "nonsense" }, true],
])("a pull request that is open, supported and in octo/kernels: %o gives %s", (wanted, matching) => {
  const known: List["items"][number] = {
    pull: pull(),
    outcomes: [{ outcome: "supported", count: 2 }],
    bundles: 1,
    check: null,
  };
  expect(matches(known, readFilter(new URLSearchParams(wanted)))).toBe(matching);
});

test("a check about an older commit is stale", async () => {
  serve({
    ...CATALOGUES,
    "/api/v1/pulls": { items: [{ ...item, check: check({ head_sha: OLD_SHA }) }], next_cursor: null },
  });
  history.replaceState(null, "", "/pulls");
  const box = rendered(<App />);
  await until(() => box.querySelector(".pulls") !== null);
  expect(words(found(box, ".pull-check"))).toContain("stale");
});

test("an empty list says what to do", async () => {
  serve({ ...CATALOGUES, "/api/v1/pulls": { items: [], next_cursor: null } });
  history.replaceState(null, "", "/pulls");
  const box = rendered(<App />);
  await until(() => box.querySelector(".empty") !== null);
  expect(words(found(box, ".empty"))).toContain("make demo");
});

test("following a link moves the focus to the heading of the new page, and says that it loads", async () => {
  const box = await at("/rules");
  await click(found(box, "header a[href='/suites']"));
  await until(() => words(found(box, "h1")) === "Suites");
  expect(document.activeElement).toBe(found(box, "h1"));
  expect(found(box, "header a[href='/suites']").getAttribute("aria-current")).toBe("page");
  expect(words(found(box, "[role=status]"))).toMatch(/^Load(ing|ed) the /);
});

test("the first thing that can be reached is the way to the content", async () => {
  const first = found<HTMLAnchorElement>(await at("/pulls"), "a");
  expect([words(first), first.getAttribute("href")]).toEqual(["Skip to the content", "#main"]);
});
