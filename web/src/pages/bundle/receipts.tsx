import type { Manifest } from "../../api/records";
import { count, duration, NONE } from "../../format/numbers";
import type { Word } from "../../format/words";
import { Facts } from "../../parts/facts";
import { State } from "../../parts/state";
import { Table } from "../../parts/table";
import { Sha, Time, Unknown } from "../../parts/text";

type Eval = Manifest["evals"][number];
type Attempt = Manifest["attempts"][number];

/** How the run went: its evals, earlier attempts, who made it, and what was masked. */
export function Receipts({ manifest }: { readonly manifest: Manifest }) {
  return (
    <>
      <h3>Evals</h3>
      <Table
        caption="Evals"
        rows={manifest.evals}
        rowKey={one => one.id}
        columns={[
          { head: "eval", cell: one => <code>{one.id}</code> },
          { head: "kind", cell: one => one.kind },
          { head: "outcome", wide: true, cell: one => <EvalOutcome outcome={one.outcome} /> },
          { head: "cells", numeric: true, cell: one => count(one.cells.length) },
          { head: "blocks", numeric: true, cell: one => count(one.blocks.length) },
        ]}
      />
      <h3>Attempts</h3>
      <Attempts attempts={manifest.attempts} />
      <h3>Producer</h3>
      <Producer manifest={manifest} />
      <h3>Redaction</h3>
      <Redaction receipt={manifest.redaction} />
    </>
  );
}

const OUTCOMES: Readonly<Record<Eval["outcome"]["outcome"] | Attempt["outcome"], Word>> = {
  completed: { text: "completed", tone: "good", sign: "check" },
  failed: { text: "failed", tone: "bad", sign: "cross" },
  skipped: { text: "skipped", tone: "quiet", sign: "empty" },
  timed_out: { text: "timed out", tone: "bad", sign: "clock" },
  abandoned: { text: "abandoned", tone: "doubt", sign: "warning" },
};

function EvalOutcome({ outcome }: { readonly outcome: Eval["outcome"] }) {
  return (
    <>
      <State word={OUTCOMES[outcome.outcome]} />
      <span class="line quiet">{explained(outcome)}</span>
    </>
  );
}

function explained(outcome: Eval["outcome"]): string {
  switch (outcome.outcome) {
    case "completed":
      return outcome.duration_s === "unknown" ? "duration unknown" : `in ${duration(outcome.duration_s)}`;
    case "failed":
      return `${outcome.code}: ${outcome.detail}`;
    case "skipped":
      return outcome.reason;
    case "timed_out":
      return `after ${duration(outcome.limit_s)}`;
  }
}

function Attempts({ attempts }: { readonly attempts: Manifest["attempts"] }) {
  if (attempts.length === 0) return <p>This was the first attempt on its node.</p>;
  return (
    <Table
      caption="Earlier attempts"
      rows={attempts}
      rowKey={attempt => String(attempt.number)}
      columns={[
        { head: "attempt", cell: attempt => attempt.number },
        { head: "outcome", cell: attempt => <State word={OUTCOMES[attempt.outcome]} /> },
        { head: "started", cell: attempt => <Time iso={attempt.started_at} /> },
        { head: "detail", wide: true, cell: attempt => attempt.detail || NONE },
      ]}
    />
  );
}

function Producer({ manifest: { producer, challenge, subject } }: { readonly manifest: Manifest }) {
  const time = (iso: string) => (iso === "unknown" ? <Unknown /> : <Time iso={iso} />);
  return (
    <Facts
      facts={[
        { term: "worker", value: producer.worker_version },
        { term: "image", value: <Sha value={producer.image_digest} /> },
        { term: "node key", value: <Sha value={producer.node_key_id} /> },
        { term: "started", value: time(producer.started_at) },
        { term: "ended", value: time(producer.ended_at) },
        {
          term: "duration",
          value: producer.duration_s === "unknown" ? <Unknown /> : duration(producer.duration_s),
        },
        {
          term: "challenge",
          value: challenge === null ? "none: the run chose its own prompts and order" : challenge.id,
        },
        { term: "suite digest", value: <Sha value={subject.suite?.digest ?? null} /> },
        { term: "base commit", value: <Sha value={subject.base_sha} /> },
      ]}
    />
  );
}

function Redaction({ receipt }: { readonly receipt: Manifest["redaction"] }) {
  if (receipt.masked.length === 0)
    return <p>Nothing was masked (rules of version {receipt.rules_version}).</p>;
  return (
    <Table
      caption="What was masked before the bundle was written"
      rows={receipt.masked}
      rowKey={one => `${one.where} ${one.kind}`}
      columns={[
        { head: "where", cell: one => one.where },
        { head: "kind", cell: one => <code>{one.kind}</code> },
        { head: "times", numeric: true, cell: one => count(one.count) },
      ]}
    />
  );
}
