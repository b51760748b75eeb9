import { expect, test } from "vitest";
import type { Schema } from "../../src/api/records";
import { StatusPage } from "../../src/pages/status";
import { found, rendered, serve, until, words } from "../rendered";

const WELL: Schema<"Status"> = {
  at: "2026-03-14T09:26:53Z",
  troubles: [],
  tasks_waiting: 2,
  oldest_waiting_s: 3.5,
  uploads_open: 4,
  checks_waiting: 7,
  jobs_waiting: 5,
  jobs_running: 3,
  nodes: 1200,
};

async function shown(status: Schema<"Status">): Promise<HTMLElement> {
  serve({ "/api/v1/status": status });
  const box = rendered(<StatusPage />);
  await until(() => box.querySelector(".loading") === null);
  return box;
}

test("a service that is well says so, with how much work there is", async () => {
  const box = await shown(WELL);
  expect(words(found(box, ".note"))).toBe("Nothing is missing or late.");
  const text = words(box);
  for (const part of ["As of 2026-03-14 09:26 UTC.", "2, the oldest for 3.500 s", "1,200 asked for work"]) {
    expect(text).toContain(part);
  }
});

test("what is missing is said first, with how many and for how long", async () => {
  const box = await shown({
    ...WELL,
    troubles: [
      { code: "github_failing", sentence: "GitHub does not answer.", count: 1, since_s: 420 },
      { code: "tasks_dead", sentence: "Work was given up.", count: 12, since_s: null },
    ],
  });
  expect(words(found(box, ".note"))).toBe("2 things are missing or late.");
  const rows = [...box.querySelectorAll("tbody tr")].map(row => words(row));
  expect(rows[0]).toContain("GitHub does not answer.");
  expect(rows[0]).toContain("7 min");
  expect(rows[1]).toContain("12");
  expect(rows[1]).toContain("–");
});
