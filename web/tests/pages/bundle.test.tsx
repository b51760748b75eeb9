import { expect, test } from "vitest";
import type { BundlePage } from "../../src/api/records";
import { App } from "../../src/app";
import {
  arm,
  armSummary,
  BUNDLE,
  bundle,
  bundlePage,
  CATALOGUES,
  cell,
  environment,
  lifetime,
  manifest,
  OLD_SHA,
} from "../records";
import { cleared, found, rendered, serve, until, words } from "../rendered";

async function shown(page: BundlePage): Promise<HTMLElement> {
  cleared();
  serve({ ...CATALOGUES, [`/api/v1/bundles/${BUNDLE}`]: page });
  history.replaceState(null, "", `/bundles/${BUNDLE}`);
  const box = rendered(<App />);
  await until(() => box.querySelector(".standing") !== null);
  return box;
}

test("each state machine stands for itself, with its reason", async () => {
  const page = bundlePage({
    bundle: bundle({
      validation_state: "error",
      validation_detail: "Validation failed on our side.",
      signature: "unknown_key",
      trust: { level: 0, name: "unsigned", reason: "signed by a key that is not registered" },
    }),
  });
  const standing = words(found(await shown(page), ".standing"));
  for (const part of [
    "complete",
    "error",
    "Validation failed on our side.",
    "signed by an unknown key",
    "trust 0, unsigned",
    "signed by a key that is not registered",
  ]) {
    expect(standing).toContain(part);
  }
});

test("contents that are kept back are named, and nothing of them is shown", async () => {
  const page = bundlePage({ bundle: bundle({ validation_state: "quarantined" }), manifest: null, files: [] });
  const box = await shown(page);
  expect(words(found(box, ".note"))).toContain("until a person has looked at this bundle");
  expect(box.querySelector("#findings")).not.toBeNull();
  for (const id of ["cells", "ledger", "arms", "environment", "files"])
    expect(box.querySelector(`#${id}`)).toBeNull();
});

test("a bundle about an older commit counts for nothing", async () => {
  const box = await shown(bundlePage({ bundle: bundle({ head_sha: OLD_SHA }), stale: true }));
  expect(words(found(box, ".note"))).toContain("It is shown and counts for nothing.");
  expect(words(found(box, ".standing"))).toContain("cccccccccc stale");
});

test("a retracted bundle shows its tombstone, and why", async () => {
  const page = bundlePage({
    bundle: bundle({
      standing: "retracted",
      rulings: [
        { kind: "retracted", reason: "The owner asked for it.", at: "2026-01-02T12:00:00Z", undone: null },
      ],
    }),
    lifetime: lifetime({ standing: "retracted", reason: "The owner asked for it." }),
    manifest: null,
    assessment: null,
    files: [],
    tombstone: {
      bundle_id: BUNDLE,
      size_bytes: 257_000,
      blobs: ["5".repeat(64)],
      validation_state: "valid",
      trust_level: 2,
      findings: [{ rule_id: "P-001", rule_version: 1, count: 2 }],
      verdicts: [{ claim_id: "decode-faster", outcome: "supported" }],
    },
  });
  const box = await shown(page);
  expect(words(found(box, ".note"))).toContain("Retracted: its contents are gone. The owner asked for it.");
  const kept = words(found(box, "#tombstone"));
  for (const part of ["level 2", "P-001 (2)", "decode-faster: supported", "5".repeat(64)])
    expect(kept).toContain(part);
  expect(box.querySelectorAll(".note").length).toBe(1);
  expect(box.querySelector("#findings")).toBeNull();
});

test("who reproduced a bundle is counted against who has to", async () => {
  const placement = {
    bundle_id: BUNDLE,
    trust: { level: 2, name: "challenge-bound", reason: "" },
    quorum: 3,
    reproduced: 1,
    witnesses: [],
  };
  const box = await shown(bundlePage({ placement }));
  expect(words(found(box, ".standing"))).toContain("reproduced by 1 of 3 independent parties");
});

test("arms stand side by side and what differs is marked", async () => {
  const rows = [...(await shown(bundlePage())).querySelectorAll("#arms tbody tr")].map(words);
  expect(rows).toContain("engine configuration decode.modestockspecializeddiffers");
  expect(rows).toContain("model modelk3-tinyk3-tiny");
});

test("the ledger counts steps by bucket and path, with every reason", async () => {
  const bucket = {
    rows: 4,
    tokens_per_request: 1,
    phase: "decode",
    speculation: 0,
    specialized_steps: 190,
    stock_steps: 2,
    reasons: [
      { reason: "batch too large", steps: 1 },
      { reason: "first step", steps: 1 },
    ],
  } as const;
  const ledgers = [{ eval_id: "decode-step", buckets: [bucket], kernel_digests: ["e".repeat(64)] }];
  const arms = [arm(), arm({ name: "candidate", ledgers })];
  const box = await shown(bundlePage({ manifest: manifest({ arms }) }));
  expect(words(found(box, "#ledger"))).toContain("baseline: unknown. Nothing proves which path it ran.");
  expect([...box.querySelectorAll("#ledger tbody tr")].map(words)).toEqual([
    "decode · 4 rows · 1 token a requestcandidate1902batch too large (1)first step (1)",
  ]);
  expect(words(found(box, "#ledger summary"))).toBe("candidate: 1 kernel digest");
});

test("what the machine could not say is shown as unknown", async () => {
  const box = await shown(
    bundlePage({ manifest: manifest({ environment: environment({ gpus: "unknown" }) }) }),
  );
  expect(words(found(box, "#environment"))).toContain("unknown: NVML could not be asked");
  expect(box.querySelectorAll("#environment .unknown").length).toBeGreaterThan(1);
});

test("evals, attempts and masked secrets are receipts", async () => {
  const box = await shown(
    bundlePage({
      manifest: manifest({
        evals: [
          {
            id: "a",
            kind: "serving",
            outcome: { outcome: "failed", code: "engine_not_ready", detail: "no port" },
            cells: [],
            blocks: [],
          },
          {
            id: "b",
            kind: "accuracy",
            outcome: { outcome: "timed_out", limit_s: 120 },
            cells: [],
            blocks: [],
          },
          {
            id: "c",
            kind: "decode_step",
            outcome: { outcome: "skipped", reason: "no GPU" },
            cells: [],
            blocks: [],
          },
        ],
        attempts: [{ number: 1, started_at: "2026-01-01T12:00:00Z", outcome: "abandoned", detail: "" }],
        redaction: { rules_version: 1, masked: [{ where: "log", kind: "github_token", count: 2 }] },
      }),
    }),
  );
  const receipts = words(found(box, "#receipts"));
  for (const part of [
    "engine_not_ready: no port",
    "after 2 min 0 s",
    "no GPU",
    "abandoned",
    "loggithub_token2",
    "none: the run chose its own prompts and order",
  ]) {
    expect(receipts).toContain(part);
  }
});

test("files, the manifest and its signature can be saved", async () => {
  const file = {
    name: "steps.jsonl",
    role: "steps",
    media_type: "application/x-ndjson",
    size_bytes: 2048,
    sha256: "f".repeat(64),
    eval_id: "decode-step",
    arm: null,
  } as const;
  const files = [{ sha256: file.sha256, url: `/api/v1/blobs/${file.sha256}` }];
  const box = await shown(bundlePage({ manifest: manifest({ files: [file] }), files }));
  const links = [...box.querySelectorAll<HTMLAnchorElement>("#files a[download]")].map(a =>
    a.getAttribute("href"),
  );
  expect(links).toEqual([
    `/api/v1/bundles/${BUNDLE}/manifest`,
    `/api/v1/bundles/${BUNDLE}/envelope`,
    `/api/v1/blobs/${file.sha256}`,
  ]);
  expect(words(found(box, "#files tbody"))).toContain("2.00 KiB");
  const unsigned = await shown(bundlePage({ bundle: bundle({ signature: "absent" }) }));
  expect(words(found(unsigned, ".downloads"))).toBe("manifestno signature");
});

test("a step is shown as its kernels, the gaps between them, and what they do not explain", async () => {
  const step = {
    step_us: 1000,
    kernels_us: 900,
    gaps_us: 70,
    residual_us: 30,
    residual_share: 0.03,
    explained: true,
  };
  const timed = cell({
    arms: [
      armSummary({
        reconciliation: {
          ...step,
          kernels: [
            { name: "latent_moe", launches: 12, total_us: 600 },
            { name: "kda_attention", launches: 9, total_us: 300 },
          ],
        },
      }),
      armSummary({
        arm: "candidate",
        reconciliation: { ...step, kernels: [{ name: "latent_moe", launches: 1, total_us: 900 }] },
      }),
    ],
  });
  const page = bundlePage();
  const box = await shown(
    bundlePage({ assessment: page.assessment && { ...page.assessment, cells: [timed] } }),
  );
  const section = found(box, "#kernels");
  expect(words(section)).toContain("baseline residual 3.0 %, candidate residual 3.0 %");
  const fold = found(section, "details") as HTMLDetailsElement;
  fold.open = true;
  fold.dispatchEvent(new Event("toggle"));
  await until(() => section.querySelector("table") !== null);
  const lines = [...section.querySelectorAll("tbody tr")].map(row => [...row.children].map(words));
  expect(lines[0]).toEqual(["latent_moe", "12", "600.0", "60.0 %", "1", "900.0", "90.0 %"]);
  expect(lines[1]).toEqual(["kda_attention", "9", "300.0", "30.0 %", "–", "–", "–"]);
  expect(lines.at(-2)?.slice(0, 4)).toEqual(["residual, explained by nothing", "–", "30.00", "3.0 %"]);
});

test("a bundle without kernel times says so", async () => {
  expect(words(found(await shown(bundlePage({})), "#kernels"))).toContain("no times of kernels");
});
