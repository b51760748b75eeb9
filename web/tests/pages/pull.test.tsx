import { expect, test } from "vitest";
import type { Schema } from "../../src/api/records";
import { App } from "../../src/app";
import {
  BUNDLE,
  bundle,
  bundlePage,
  CATALOGUES,
  cell,
  check,
  finding,
  lifetime,
  OLD_SHA,
  pull,
  pullPage,
  SHA,
  verdict,
} from "../records";
import { cleared, click, found, rendered, serve, until, words } from "../rendered";

async function shown(page: Schema<"PullPage">): Promise<HTMLElement> {
  cleared();
  serve({
    ...CATALOGUES,
    "/api/v1/pulls/octo/kernels/7": page,
    "/api/v1/jobs?pull=octo%2Fkernels%2F7&limit=100": { items: [], next_cursor: null },
    [`/api/v1/bundles/${BUNDLE}`]: withFinding(),
  });
  history.replaceState(null, "", "/pulls/octo/kernels/7");
  const box = rendered(<App />);
  await until(() => box.querySelector("#claims") !== null);
  return box;
}

function withFinding() {
  const page = bundlePage();
  return { ...page, assessment: { ...page.assessment, findings: [finding()] } };
}

test("a claim shows its outcome, the sentence why, ratio, interval, samples, unit and trust", async () => {
  const claim = words(found(await shown(pullPage()), ".claim"));
  for (const part of [
    "supported",
    "decode-faster",
    "step_latency_us >= 1.4x baseline at batch 1, 4 · phase decode",
    "1.602x baseline [1.597, 1.605] from 192 and 192 samples",
    "1.602×",
    "1.597 to 1.605",
    "192 and 192",
    "µs",
    "p 0.0008",
    "trust 1, signed",
  ]) {
    expect(claim).toContain(part);
  }
});

test("the cells behind a verdict are shown when asked for", async () => {
  const box = await shown(pullPage());
  expect(box.querySelector(".claim table")).toBeNull();
  await click(found(box, ".claim summary"));
  await until(() => box.querySelector(".claim table") !== null);
  expect(words(found(box, ".claim .reasons"))).toBe("decode-step.b4.c64: it is faster");
});

test("a claim without evidence says what would settle it, and states no number", async () => {
  const next = {
    suite: "smoke",
    cells: [],
    rounds: 12,
    hardware: "8 x NVIDIA H200",
    gpus: 8,
    gpu_minutes: 24,
    minutes: 3,
    sentence: "Run suite smoke on both arms.",
  };
  const open = verdict({
    outcome: "no_evidence",
    estimate: null,
    ratio: null,
    interval: null,
    samples: null,
    p_value: null,
    unit: null,
    trust: null,
    cells: [],
    bundle_ids: [],
    next_run: next,
  });
  const box = await shown(pullPage({ verdicts: [open] }));
  expect(words(found(box, ".next-run"))).toContain("Run suite smoke on both arms.");
  expect(words(found(box, ".next-run"))).toContain(
    "suite smoke · 12 rounds · 8 x NVIDIA H200 · about 3 min 0 s · 24 GPU-minutes",
  );
  expect(found(box, ".figures").children.length).toBe(0);
});

test("verdicts about an older commit say so", async () => {
  const box = await shown(pullPage({ judged_head_sha: OLD_SHA }));
  expect(words(found(box, ".note"))).toBe(
    "These verdicts are about cccccccccc. The pull request is at aaaaaaaaaa now; judgement of it is under way.",
  );
});

test("stale evidence is labelled wherever it stands", async () => {
  const evidence = [
    {
      bundle: bundle({ head_sha: OLD_SHA }),
      stale: true,
      lifetime: lifetime({ standing: "stale" }),
      claim_ids: [],
    },
  ];
  const box = await shown(pullPage({ evidence, check: check({ head_sha: OLD_SHA }) }));
  expect(words(found(box, ".sources"))).toContain("stale");
  expect(words(found(box, "#evidence"))).toContain(
    "Every bundle here is about another commit than aaaaaaaaaa",
  );
  expect(words(found(box, "#evidence tbody"))).toContain("cccccccccc stale");
  expect(words(found(box, "#check"))).toContain("cccccccccc stale");
});

test("inherited and withdrawn evidence says so, with its reason", async () => {
  const by = "2".repeat(64);
  const evidence = [
    {
      bundle: bundle({ head_sha: OLD_SHA }),
      stale: false,
      lifetime: lifetime({ standing: "inherited", reason: "the kernels are the same", by }),
      claim_ids: [],
    },
    {
      bundle: bundle({ bundle_id: "3".repeat(64) }),
      stale: false,
      lifetime: lifetime({ standing: "invalidated", reason: "the machine was shared" }),
      claim_ids: [],
    },
  ];
  const rows = [...(await shown(pullPage({ evidence }))).querySelectorAll("#evidence tbody tr")].map(words);
  expect(rows[0]).toContain("inherited (kernel-identical)");
  expect(rows[0]).toContain("the kernels are the same");
  expect(rows[0]).toContain(by.slice(0, 10));
  expect(rows[1]).toContain("invalidated");
  expect(rows[1]).toContain("the machine was shared");
});

test("what the policy asks for and what is to be measured again is said", async () => {
  const run = {
    suite: "smoke",
    hardware: "NVIDIA H200",
    evals: ["decode-step"],
    cells: ["decode-step.b4"],
    minutes: 3,
    gpu_minutes: 24,
    replaces: BUNDLE,
    sentence: "Run suite smoke on NVIDIA H200 for the present head: decode-step (1 results).",
  };
  const box = await shown(
    pullPage({
      shortfalls: [{ claim_id: "decode-faster", sentence: "Claims about speed need trust level 3." }],
      rerun: { runs: [run], gpu_minutes: 24 },
    }),
  );
  expect(words(found(box, "#claims .note"))).toContain(
    "decode-faster: Claims about speed need trust level 3.",
  );
  expect(words(found(box, "#evidence"))).toContain("1 cell, about 3 min 0 s, 24 GPU-minutes");
  const quiet = await shown(pullPage());
  expect(words(found(quiet, "#evidence"))).not.toContain("To be measured again");
});

test("a claims block that cannot be read is shown with its lines", async () => {
  const error = { code: "relation_invalid", detail: "'much faster' is not a relation", line: 6 };
  const box = await shown(
    pullPage({ claims: [], verdicts: [], claim_errors: [error], evidence: [], check: null }),
  );
  expect(words(found(box, ".note li"))).toBe("line 6: 'much faster' is not a relation relation_invalid");
  expect(words(found(box, "#claims"))).toContain("No claim is judged until the claims block can be read.");
  expect(words(found(box, "#evidence"))).toContain("byogpu run --suite smoke");
  expect(words(found(box, "#check"))).toContain("Nothing was posted");
});

test("claims that wait for judgement, and none at all, are told apart", async () => {
  const waiting = await shown(pullPage({ verdicts: [], judged_at: null, judged_head_sha: null }));
  expect(words(found(waiting, "#claims"))).toContain("not judged yet: decode-faster");
  const silent = await shown(pullPage({ claims: [], verdicts: [] }));
  expect(words(found(silent, "#claims"))).toContain("This pull request claims nothing.");
});

test("findings of a bundle are fetched when they are opened", async () => {
  const evidence = [
    {
      bundle: bundle({ findings: { error: 1, warning: 0, info: 0 } }),
      stale: false,
      lifetime: null,
      claim_ids: [],
    },
  ];
  const box = await shown(pullPage({ evidence }));
  expect(box.querySelector(".findings")).toBeNull();
  await click(found(box, "#evidence summary"));
  await until(() => box.querySelector(".findings") !== null);
  expect(words(found(box, ".findings"))).toContain("The specialized path did not run");
});

test("the check says where it stands, and why it does not", async () => {
  const sent = await shown(pullPage());
  expect(found<HTMLAnchorElement>(sent, "#check a").href).toBe("https://github.example/octo/kernels/runs/1");
  const dead = await shown(
    pullPage({ check: check({ state: "dead", attempts: 9, detail: "403", url: null }) }),
  );
  expect(words(found(dead, "#check .note"))).toBe("GitHub did not take the check after 9 attempts: 403");
  expect(words(found(dead, "#check"))).toContain("not there yet");
});

test("markup in texts of others is shown, not obeyed", async () => {
  const attack = "<img src=x onerror=alert(1)>";
  const bad = cell({ unit: attack });
  const box = await shown(
    pullPage({
      pull: pull({ title: attack, author: attack, github_url: "javascript:alert(1)" }),
      verdicts: [verdict({ reason: attack, cells: [{ outcome: "supported", reason: attack, cell: bad }] })],
      check: check({ title: attack, url: "javascript:alert(1)" }),
    }),
  );
  await click(found(box, ".claim summary"));
  await until(() => box.querySelector(".claim table") !== null);
  expect(box.querySelector("img")).toBeNull();
  expect(box.querySelector("[href^=javascript]")).toBeNull();
  expect(words(found(box, "h1"))).toBe(attack);
  expect(document.title).toBe(`${attack} · byogpu`);
});

test("challenges that were never answered are seen beside those that were", async () => {
  const challenge = {
    id: "c-1",
    fate: "used",
    bundle_id: BUNDLE,
    suite: "smoke/1",
    head_sha: OLD_SHA,
    node_key_id: null,
    plan_digest: "7".repeat(64),
    nonce: null,
    issued_at: "2026-01-01T11:00:00Z",
    expires_at: "2026-01-02T11:00:00Z",
  } as const;
  const unused = { ...challenge, id: "c-2", fate: "expired", bundle_id: null } as const;
  const box = await shown(pullPage({ challenges: [unused, challenge] }));
  const rows = [...box.querySelectorAll("#challenges tbody tr")].map(words);
  expect(rows[0]).toContain("c-2expired unused–");
  expect(rows[1]).toContain(`c-1used${BUNDLE.slice(0, 12)}`);
});

test("what a maintainer let pass is named with number, rule, name and reason", async () => {
  const waiver = {
    number: 3,
    rule_id: "E-005",
    head_sha: SHA,
    reason: "the slice is <b>whole</b>",
    by: "marta",
    at: "2026-01-01T12:00:00Z",
  };
  const box = await shown(pullPage({ waivers: [waiver] }));
  expect(words(found(box, "#claims"))).toContain(
    "waiver 3: findings of E-005, by marta: the slice is <b>whole</b>",
  );
  const link = found<HTMLAnchorElement>(box, "#claims .note a");
  expect(link.getAttribute("href")).toBe("/rules#E-005");
  expect(words(found(await shown(pullPage({})), "#claims"))).not.toContain("Waived");
});

test("claims that the description does not hold are said to be stated through the API", async () => {
  const said = "Stated through the API";
  expect(words(found(await shown(pullPage({ claims_from: "api" })), "#claims"))).toContain(said);
  expect(words(found(await shown(pullPage({})), "#claims"))).not.toContain(said);
});
