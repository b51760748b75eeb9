// Records as the API answers them, complete and typed; a test changes what it is about.
import type {
  BundlePage,
  BundleRef,
  CellSummary,
  CheckState,
  Estimate,
  Finding,
  Manifest,
  PullRef,
  Schema,
  Verdict,
} from "../src/api/records";

export const SHA = "a".repeat(40);
export const OLD_SHA = "c".repeat(40);
export const BUNDLE = "1".repeat(64);

export function estimate(changes: Partial<Estimate> = {}): Estimate {
  return {
    kind: "ratio",
    value: 1.602,
    low: 1.597,
    high: 1.605,
    method: "block_bootstrap",
    quantiles: [],
    ...changes,
  };
}

export function key(changes: Partial<Schema<"ComparabilityKey">> = {}): Schema<"ComparabilityKey"> {
  return {
    metric: "step_latency_us",
    metric_version: 1,
    phase: "decode",
    hardware: "H200",
    gpu_count: 1,
    tensor_parallel: 1,
    context_parallel: 1,
    model: "k3-tiny",
    quantization: "mxfp4",
    weights_digest: "unknown",
    draft_digest: null,
    tokenizer_digest: "unknown",
    chat_template_digest: null,
    acceptance: "none",
    acceptance_length: null,
    drafts: 0,
    speculation_method: null,
    context_tokens: 64,
    input_tokens: null,
    output_tokens: null,
    task: null,
    documents: null,
    requested_batch: 4,
    achieved_concurrency: 4,
    ...changes,
  };
}

export function armSummary(changes: Partial<Schema<"ArmSummary">> = {}): Schema<"ArmSummary"> {
  return {
    arm: "baseline",
    samples: 192,
    blocks: 8,
    failed: 0,
    value: 325.7,
    p10: 324.1,
    p90: 327.3,
    p99: null,
    seconds: 1,
    path: {
      specialized_steps: 0,
      stock_steps: 216,
      lowest_share: 0,
      reasons: [{ reason: "mode is stock", steps: 216 }],
    },
    key: key(),
    ...changes,
  };
}

export function cell(changes: Partial<CellSummary> = {}): CellSummary {
  return {
    bundle_id: BUNDLE,
    eval_id: "decode-step",
    eval_kind: "decode_step",
    cell: {
      id: "decode-step.b4.c64",
      metric: "step_latency_us",
      phase: "decode",
      tensor_parallel: 1,
      context_parallel: 1,
      batch: 4,
      context_tokens: 64,
      input_tokens: "unknown",
      output_tokens: "unknown",
      speculation: { kind: "none" },
      task: null,
      arms: ["baseline", "candidate"],
    },
    kind: "speed",
    unit: "µs",
    better: "lower",
    arms: [armSummary(), armSummary({ arm: "candidate", value: 203.4, p10: 202.5, p90: 204.7 })],
    estimate: estimate(),
    pairs: null,
    numerics: null,
    noise_floor: { ratio: 1.002, splits: 3 },
    drift: { ratio: 1.001, exceeded: false },
    throttling: "none",
    excluded_blocks: [],
    differing: [],
    unverified: [],
    sample_floor: 20,
    ...changes,
  };
}

export function claim(changes: Partial<Schema<"Claim">> = {}): Schema<"Claim"> {
  return {
    id: "decode-faster",
    metric: "step_latency_us",
    cells: {
      batch: [1, 4],
      tp: null,
      cp: null,
      context: null,
      phase: ["decode"],
      speculation: null,
      task: null,
    },
    relation: { kind: "at_least", factor: 1.4 },
    relation_text: ">= 1.4x baseline",
    acceptance: null,
    suite: null,
    line: 4,
    ...changes,
  };
}

export function verdict(changes: Partial<Verdict> = {}): Verdict {
  return {
    claim: claim(),
    claim_id: "decode-faster",
    outcome: "supported",
    reason: "1.602x baseline [1.597, 1.605] from 192 and 192 samples",
    cells: [{ outcome: "supported", reason: "it is faster", cell: cell() }],
    estimate: estimate(),
    ratio: 1.602,
    interval: [1.597, 1.605],
    effect_size: 0.602,
    p_value: 0.0008,
    samples: [192, 192],
    unit: "µs",
    trust: { level: 1, name: "signed", reason: "signed by a registered node" },
    trust_level: 1,
    next_run: null,
    bundle_ids: [BUNDLE],
    tries: 1,
    waivers: [],
    ...changes,
  };
}

export function pull(changes: Partial<PullRef> = {}): PullRef {
  return {
    repository_id: 1001,
    repository: "octo/kernels",
    number: 7,
    title: "Decode faster",
    author: "contributor",
    state: "open",
    merged: false,
    draft: false,
    head_sha: SHA,
    base_sha: "b".repeat(40),
    github_url: "https://github.example/octo/kernels/pull/7",
    url: "https://byogpu.example/pulls/octo/kernels/7",
    seen_at: "2026-01-01T12:00:00Z",
    ...changes,
  };
}

export function bundle(changes: Partial<BundleRef> = {}): BundleRef {
  return {
    bundle_id: BUNDLE,
    origin: "measured",
    repository_id: 1001,
    repository: "octo/kernels",
    pull_number: 7,
    head_sha: SHA,
    suite: "smoke/1",
    size_bytes: 257_000,
    signature: "valid",
    node_key_id: "d".repeat(64),
    node_owner: "octocat",
    upload_state: "complete",
    validation_state: "valid",
    validation_detail: "",
    trust: { level: 1, name: "signed", reason: "signed by a registered node" },
    standing: "current",
    rulings: [],
    findings: { error: 0, warning: 0, info: 0 },
    created_at: "2026-01-01T12:00:00Z",
    completed_at: "2026-01-01T12:01:00Z",
    validated_at: "2026-01-01T12:02:00Z",
    url: `https://byogpu.example/bundles/${BUNDLE}`,
    ...changes,
  };
}

export function lifetime(changes: Partial<Schema<"Lifetime">> = {}): Schema<"Lifetime"> {
  return {
    bundle_id: BUNDLE,
    standing: "current",
    reason: "measured for the present head",
    by: null,
    inherited: [],
    ...changes,
  };
}

export function check(changes: Partial<CheckState> = {}): CheckState {
  return {
    state: "sent",
    conclusion: "success",
    title: "1 claim: 1 supported",
    head_sha: SHA,
    attempts: 1,
    detail: "",
    url: "https://github.example/octo/kernels/runs/1",
    created_at: "2026-01-01T12:03:00Z",
    sent_at: "2026-01-01T12:03:01Z",
    ...changes,
  };
}

export function pullPage(changes: Partial<Schema<"PullPage">> = {}): Schema<"PullPage"> {
  return {
    pull: pull(),
    claims: [claim()],
    claim_errors: [],
    claims_from: "description",
    verdicts: [verdict()],
    judged_at: "2026-01-01T12:03:00Z",
    judged_head_sha: SHA,
    policy: { version: 1, needs: [], holes: null, audits: null },
    shortfalls: [],
    rerun: { runs: [], gpu_minutes: 0 },
    evidence: [{ bundle: bundle(), stale: false, lifetime: lifetime(), claim_ids: ["decode-faster"] }],
    waivers: [],
    scope: null,
    challenges: [],
    challenge_tally: { issued: 0, open: 0, used: 0, abandoned: 0, expired: 0 },
    check: check(),
    ...changes,
  };
}

export function finding(changes: Partial<Finding> = {}): Finding {
  return {
    rule_id: "P-001",
    rule_version: 1,
    severity: "error",
    effect: "blocks",
    title: "The specialized path did not run",
    detail: "0 of 216 steps",
    hint: "Build the kernels with `make kernels`.",
    where: "arms/candidate",
    eval_id: null,
    cell: null,
    arm: "candidate",
    bears_on: ["speed"],
    ...changes,
  };
}

export function arm(changes: Partial<Schema<"Arm">> = {}): Schema<"Arm"> {
  return {
    name: "baseline",
    code: { commit_sha: SHA, tree_digest: "unknown", dirty: false },
    image_digest: "unknown",
    model: "k3-tiny",
    quantization: "mxfp4",
    weights_digest: "2".repeat(64),
    draft_digest: null,
    tokenizer_digest: "unknown",
    chat_template_digest: null,
    engine_config: [{ name: "decode.mode", value: "stock" }],
    ledgers: "unknown",
    ...changes,
  };
}

export function environment(changes: Partial<Schema<"Environment">> = {}): Schema<"Environment"> {
  return {
    gpus: [],
    links: [],
    gpu_processes: [],
    driver_version: "unknown",
    cuda_version: "unknown",
    cpu_model: "made-up CPU",
    cpu_count: 16,
    memory_bytes: 2 ** 37,
    kernel: "6.8.0",
    system: "Linux",
    python_version: "3.11.9",
    container: { containerized: false, cpu_limit: null, memory_limit_bytes: "unknown" },
    packages: [{ name: "numpy", version: "2.4.0", record_digest: "unknown" }],
    variables: [{ name: "OMP_NUM_THREADS", value: "1" }],
    bandwidth: { device: "cpu", read_gb_per_s: [21.5, 22] },
    ...changes,
  };
}

export function manifest(changes: Partial<Manifest> = {}): Manifest {
  return {
    format: "byogpu.bundle/1",
    origin: { kind: "measured" },
    subject: {
      repository_id: 1001,
      repository: "octo/kernels",
      pull_number: 7,
      head_sha: SHA,
      base_sha: "b".repeat(40),
      suite: { id: "smoke", version: 1, digest: "3".repeat(64) },
      claim_ids: [],
    },
    challenge: null,
    producer: {
      worker_version: "0.1.0",
      image_digest: "unknown",
      node_key_id: "unknown",
      started_at: "unknown",
      ended_at: "unknown",
      duration_s: "unknown",
    },
    environment: environment(),
    arms: [arm(), arm({ name: "candidate", engine_config: [{ name: "decode.mode", value: "specialized" }] })],
    evals: [],
    files: [],
    redaction: { rules_version: 1, masked: [] },
    attempts: [],
    ...changes,
  };
}

export function bundlePage(changes: Partial<BundlePage> = {}): BundlePage {
  return {
    bundle: bundle(),
    pull: pull(),
    stale: false,
    lifetime: lifetime(),
    placement: null,
    tombstone: null,
    manifest: manifest(),
    assessment: {
      bundle_id: BUNDLE,
      origin: { kind: "measured" },
      head_sha: SHA,
      suite_id: "smoke",
      hardware: "H200",
      tries: 1,
      duration_s: 120,
      thresholds_version: 1,
      rules_applied: 80,
      validity: "valid",
      trust: { level: 1, name: "signed", reason: "signed by a registered node" },
      findings: [],
      cells: [cell()],
      paths: [],
      streams: [],
      slice_scores: [],
    },
    files: [],
    ...changes,
  };
}

/** Answers for a whole dashboard: the catalogues that every page asks for. */
export const CATALOGUES = {
  "/api/v1/metrics": {
    items: [
      {
        metric: "step_latency_us",
        version: 1,
        unit: "µs",
        better: "lower",
        kind: "speed",
        statistic: "median",
        sample: "step",
        phase: null,
        definition: "Time of one decode step, as the engine timed it.",
      },
    ],
  } satisfies Schema<"MetricList">,
};
