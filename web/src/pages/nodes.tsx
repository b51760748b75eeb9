import { useSearchParams } from "wouter-preact";
import { useAnswer } from "../api/answer";
import type { Schema } from "../api/records";
import { bytes, duration, NONE } from "../format/numbers";
import { Await } from "../parts/await";
import { JobLink } from "../parts/jobs";
import { Empty } from "../parts/note";
import { Page } from "../parts/page";
import { Paging } from "../parts/paging";
import { State } from "../parts/state";
import { Table } from "../parts/table";
import { Sha, Time } from "../parts/text";

type NodeItem = Schema<"NodeItem">;

/** Machines that are lent: what they have, what their owners allow, and when they were last heard of. */
export function NodesPage() {
  const [search] = useSearchParams();
  const cursor = search.get("cursor");
  const loaded = useAnswer("/api/v1/offers", { query: cursor === null ? {} : { cursor } });
  return (
    <Page title="Nodes">
      <p class="introduction">
        Machines that contributors lend. What one has was captured by its agent's software, and what it may
        run is its owner's choice.
      </p>
      <Await loaded={loaded} what="nodes">
        {list => (
          <>
            {list.items.length === 0 ? (
              <Empty>
                No machine is lent yet. <code>byogpu agent</code> lends one.
              </Empty>
            ) : (
              <NodeTable nodes={list.items} />
            )}
            <Paging next={list.next_cursor} />
          </>
        )}
      </Await>
    </Page>
  );
}

function NodeTable({ nodes }: { readonly nodes: readonly NodeItem[] }) {
  return (
    <Table
      caption="Nodes, last heard of first"
      rows={nodes}
      rowKey={node => node.node_key_id}
      columns={[
        { head: "node", cell: node => <Sha value={node.node_key_id} /> },
        { head: "owner", cell: node => (node.project ? `${node.owner} (the project's)` : node.owner) },
        { head: "heard of", cell: node => <Heard node={node} /> },
        { head: "runs", cell: node => (node.job_id === null ? NONE : <JobLink id={node.job_id} />) },
        { head: "GPUs", wide: true, cell: node => gpus(node.capabilities.gpus) },
        { head: "driver", cell: node => node.capabilities.driver_version },
        {
          head: "memory",
          numeric: true,
          cell: ({ capabilities: { memory_bytes } }) =>
            memory_bytes === "unknown" ? "unknown" : bytes(memory_bytes),
        },
        { head: "runner", cell: node => `${node.capabilities.runner} ${node.capabilities.runner_version}` },
        { head: "allows", wide: true, cell: node => <Allowed consent={node.consent} /> },
        { head: "clock", numeric: true, cell: node => skew(node.skew_s) },
      ]}
    />
  );
}

function Heard({ node }: { readonly node: NodeItem }) {
  return (
    <>
      <Time iso={node.seen_at} />{" "}
      {!node.lately && <State word={{ text: "silent", tone: "doubt", sign: "clock" }} />}
    </>
  );
}

function gpus(found: NodeItem["capabilities"]["gpus"]): string {
  if (found.length === 0) return "none";
  const counts = new Map<string, number>();
  for (const { name, memory_bytes } of found) {
    const text = memory_bytes === "unknown" ? name : `${name}, ${bytes(memory_bytes)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, number]) => `${number} × ${text}`).join("; ");
}

function Allowed({ consent }: { readonly consent: NodeItem["consent"] }) {
  const list = (names: readonly string[]) =>
    names.includes("*") ? "any" : names.length === 0 ? "none" : names.join(", ");
  return (
    <>
      suites: {list(consent.suites)}; repositories: {list(consent.repositories)}; authors:{" "}
      {list(consent.authors)}; images: {list(consent.images)}; up to {duration(consent.longest_s)}
    </>
  );
}

/** How far a clock is off; what is within a second is right. */
function skew(seconds: number): string {
  if (Math.abs(seconds) < 1) return "right";
  return `${duration(Math.abs(seconds))} ${seconds > 0 ? "ahead" : "behind"}`;
}
