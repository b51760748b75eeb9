import { Link } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import type { JobRef, Schema } from "../../api/records";
import { bytes, duration, NONE } from "../../format/numbers";
import { lasted } from "../../format/times";
import { JOBS, LEASES } from "../../format/words";
import { pullPath } from "../../links";
import { Await } from "../../parts/await";
import { Facts } from "../../parts/facts";
import { Empty } from "../../parts/note";
import { Page, Section } from "../../parts/page";
import { State } from "../../parts/state";
import { Table } from "../../parts/table";
import { BundleLink, Sha, Time } from "../../parts/text";

/** One job: where it stands and why, what it asks for, and every node's turn at it. */
export function JobPage({ id }: { readonly id: string }) {
  const loaded = useAnswer(
    "/api/v1/jobs/{job_id}",
    { path: { job_id: id } },
    page => page.job.ended_at === null,
  );
  return (
    <Page
      title={`Job ${id}`}
      above={
        <>
          <Link href="/queue">Queue</Link> / {id}
        </>
      }
    >
      <Await loaded={loaded} what="the job">
        {({ job, leases }) => (
          <>
            <p class="meta">
              <State word={JOBS[job.state]} strong />
              <span>{job.reason}</span>
            </p>
            <Facts facts={facts(job)} />
            <Section id="evals" title="Evals">
              <Evals job={job} />
            </Section>
            <Section id="leases" title="Turns">
              {leases.length === 0 ? <Empty>No node has had it yet.</Empty> : <Leases leases={leases} />}
            </Section>
          </>
        )}
      </Await>
    </Page>
  );
}

function facts(job: JobRef) {
  return [
    {
      term: "pull request",
      value: (
        <Link href={pullPath(job.repository, job.pull_number)}>
          {job.repository} #{job.pull_number}
        </Link>
      ),
    },
    { term: "suite", value: job.suite },
    { term: "commit", value: <Sha value={job.head_sha} length={40} /> },
    { term: "image", value: job.image === null ? NONE : <code>{job.image}</code> },
    { term: "needs", value: needs(job.needs) },
    {
      term: "ordered",
      value: (
        <>
          by {job.requested_by}, <Time iso={job.requested_at} />
        </>
      ),
    },
    {
      term: "approved",
      value:
        job.approved_by === null || job.approved_at === null ? (
          "not yet"
        ) : (
          <>
            by {job.approved_by}, <Time iso={job.approved_at} />
          </>
        ),
    },
    { term: "priority", value: job.priority },
    { term: "age", value: lasted(job.requested_at, job.ended_at) },
    { term: "bundle", value: job.bundle_id === null ? NONE : <BundleLink id={job.bundle_id} /> },
  ];
}

function needs(asked: JobRef["needs"]): string {
  const parts = [
    asked.gpu_count > 0 ? `${asked.gpu_count} × ${asked.gpu_model ?? "any GPU"}` : "no GPU",
    asked.gpu_memory_bytes > 0 ? `${bytes(asked.gpu_memory_bytes)} each` : "",
    asked.nvlink ? "joined by NVLink" : "",
    asked.driver_version === null ? "" : `driver ${asked.driver_version} or later`,
  ];
  return parts.filter(part => part !== "").join(", ");
}

function Evals({ job }: { readonly job: JobRef }) {
  const done = new Map(job.evals_done.map(one => [one.eval_id, one]));
  return (
    <Table
      caption="Evals of the suite"
      rows={job.evals}
      rowKey={id => id}
      columns={[
        { head: "eval", cell: id => id },
        { head: "outcome", cell: id => done.get(id)?.outcome.replace("_", " ") ?? NONE },
        {
          head: "took",
          numeric: true,
          cell: id => {
            const one = done.get(id);
            return one === undefined ? NONE : duration(one.duration_s);
          },
        },
      ]}
    />
  );
}

function Leases({ leases }: { readonly leases: readonly Schema<"LeaseItem">[] }) {
  return (
    <Table
      caption="Turns of nodes, oldest first"
      rows={leases}
      rowKey={lease => String(lease.token)}
      columns={[
        { head: "token", cell: lease => lease.token },
        { head: "owner", cell: lease => lease.owner },
        { head: "node", cell: lease => <Sha value={lease.node_key_id} /> },
        { head: "began", cell: lease => <Time iso={lease.began_at} /> },
        { head: "ended", cell: lease => (lease.ended_at === null ? NONE : <Time iso={lease.ended_at} />) },
        {
          head: "outcome",
          cell: lease =>
            lease.outcome === null ? <State word={JOBS.leased} /> : <State word={LEASES[lease.outcome]} />,
        },
        { head: "why", wide: true, cell: lease => lease.detail || NONE },
        {
          head: "bundle",
          cell: lease =>
            lease.bundle_id === null ? (
              NONE
            ) : (
              <>
                <BundleLink id={lease.bundle_id} />
                {lease.outcome !== "finished" && " (late, counts for no job)"}
              </>
            ),
        },
      ]}
    />
  );
}
