import { expect, test } from "vitest";
import type { JobRef, Schema } from "../../src/api/records";
import { NodesPage } from "../../src/pages/nodes";
import { Orders } from "../../src/pages/pull/orders";
import { JobPage } from "../../src/pages/queue/job";
import { QueuePage } from "../../src/pages/queue/page";
import { BUNDLE, pull, SHA } from "../records";
import { found, rendered, serve, until, words } from "../rendered";

const ID = "j-0123456789abcdef";
const NODE = "2".repeat(64);

function job(changes: Partial<JobRef> = {}): JobRef {
  return {
    id: ID,
    repository: "octo/kernels",
    pull_number: 7,
    suite: "smoke/1",
    head_sha: SHA,
    image: `registry.example/eval-smoke@sha256:${"3".repeat(64)}`,
    needs: { gpu_count: 8, gpu_model: "H200", gpu_memory_bytes: 0, nvlink: true, driver_version: "570" },
    state: "queued",
    reason: "None of 2 nodes fits. The commonest reason, of 2: needs 8 H200 GPUs; has 1.",
    priority: 1,
    requested_by: "octocat",
    requested_at: "2026-03-14T09:26:53Z",
    approved_by: "maintainer",
    approved_at: "2026-03-14T09:30:00Z",
    node_key_id: null,
    lease_until: null,
    tries: 0,
    evals_done: [],
    evals: ["numerics", "serving"],
    bundle_id: null,
    ended_at: "2026-03-14T10:33:33Z",
    ...changes,
  };
}

function lease(changes: Partial<Schema<"LeaseItem">> = {}): Schema<"LeaseItem"> {
  return {
    token: 1,
    node_key_id: NODE,
    owner: "lender",
    image: "x",
    began_at: "2026-03-14T09:31:00Z",
    ended_at: "2026-03-14T09:32:00Z",
    outcome: "expired",
    detail: "the node went silent",
    bundle_id: null,
    ...changes,
  };
}

async function loaded(box: HTMLElement): Promise<HTMLElement> {
  await until(() => box.querySelector(".loading") === null);
  return box;
}

test("every job in the queue says why it stands where it stands, and for how long", async () => {
  serve({ "/api/v1/jobs": { items: [job()], next_cursor: "more" } });
  const box = await loaded(rendered(<QueuePage />));
  const row = words(found(box, "tbody tr"));
  for (const part of ["octo/kernels #7", "queued", "needs 8 H200 GPUs; has 1.", "0 of 2", "1 h 6 min"]) {
    expect(row).toContain(part);
  }
  expect(found(box, ".paging a").getAttribute("href")).toContain("cursor=more");
});

test("the address holds which jobs are shown", async () => {
  history.replaceState(null, "", "/queue?state=dead");
  const asked = serve({ "/api/v1/jobs?state=dead": { items: [], next_cursor: null } });
  const box = await loaded(rendered(<QueuePage />));
  expect(asked).toEqual(["/api/v1/jobs?state=dead"]);
  expect(words(found(box, ".empty"))).toBe("No job is given up. Show all");
  expect(found<HTMLSelectElement>(box, "select").value).toBe("dead");
});

test("a job shows what it needs, its evals, and each node's turn", async () => {
  const done = { eval_id: "numerics", outcome: "completed", duration_s: 41.5 } as const;
  serve({
    [`/api/v1/jobs/${ID}`]: {
      job: job({
        state: "done",
        reason: "A node delivered a bundle.",
        evals_done: [done],
        bundle_id: BUNDLE,
      }),
      leases: [lease({ bundle_id: BUNDLE }), lease({ token: 2, outcome: "finished", detail: "" })],
    },
  });
  const box = await loaded(rendered(<JobPage id={ID} />));
  expect(words(box)).toContain("8 × H200, joined by NVLink, driver 570 or later");
  expect(words(found(box, "#evals tbody"))).toContain("numericscompleted41.50 s");
  const turns = [...box.querySelectorAll("#leases tbody tr")].map(words);
  expect(turns[0]).toContain("went silent");
  expect(turns[0]).toContain("late, counts for no job");
  expect(turns[1]).toContain("finished");
});

test("a pull request shows what was ordered for it, or how to order", async () => {
  const address = "/api/v1/jobs?pull=octo%2Fkernels%2F7&limit=100";
  const one = pull({ repository: "octo/kernels", number: 7 });
  serve({ [address]: { items: [job()], next_cursor: null } });
  expect(words(await loaded(rendered(<Orders pull={one} />)))).toContain("None of 2 nodes fits.");
  serve({ [address]: { items: [], next_cursor: null } });
  expect(words(await loaded(rendered(<Orders pull={one} />)))).toContain("/byogpu run smoke");
});

test("a node shows what it has, what its owner allows, and whether it is silent", async () => {
  const gpu = {
    index: 0,
    name: "NVIDIA H200",
    uuid_hash: "unknown",
    pci_bus_id: "unknown",
    pci_device_id: "unknown",
    memory_bytes: 150_754_820_096,
    multiprocessors: 132,
    compute_capability: "9.0",
    vbios: "unknown",
    sm_clock_max_mhz: 1980,
    memory_clock_max_mhz: 3201,
    power_limit_w: 700,
    ecc: "on",
    mig: "off",
    compute_mode: "default",
  } as const;
  const node: Schema<"NodeItem"> = {
    node_key_id: NODE,
    owner: "lender",
    project: true,
    seen_at: "2026-03-14T09:31:00Z",
    lately: false,
    skew_s: -90,
    capabilities: {
      gpus: [gpu, { ...gpu, index: 1 }],
      links: [],
      driver_version: "570.86.15",
      cuda_version: "12.8",
      cpu_count: 32,
      memory_bytes: "unknown",
      runner: "podman",
      runner_version: "5.4.2",
      agent_version: "0.1.0",
    },
    consent: {
      suites: ["smoke"],
      images: ["*"],
      repositories: ["octo/kernels"],
      authors: [],
      longest_s: 7200,
    },
    job_id: ID,
  };
  serve({ "/api/v1/offers": { items: [node], next_cursor: null } });
  const row = words(found(await loaded(rendered(<NodesPage />)), "tbody tr"));
  for (const part of [
    "lender (the project's)",
    "silent",
    "2 × NVIDIA H200, 140.4 GiB",
    "authors: none; images: any; up to 2 h 0 min",
    "1 min 30 s behind",
    ID,
  ]) {
    expect(row).toContain(part);
  }
});
