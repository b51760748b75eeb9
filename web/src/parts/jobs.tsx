import { Link } from "wouter-preact";
import type { JobRef } from "../api/records";
import { NONE } from "../format/numbers";
import { lasted } from "../format/times";
import { JOBS } from "../format/words";
import { jobPath, pullPath } from "../links";
import { State } from "./state";
import { type Column, Table } from "./table";
import { BundleLink, Sha } from "./text";

interface JobTableProps {
  readonly caption: string;
  readonly jobs: readonly JobRef[];
  /** Whether to say which pull request each is for. */
  readonly withPull?: boolean;
}

/** Jobs, each with the reason why it stands where it stands. */
export function JobTable({ caption, jobs, withPull = false }: JobTableProps) {
  const pull: Column<JobRef>[] = withPull
    ? [
        {
          head: "pull request",
          cell: job => (
            <Link href={pullPath(job.repository, job.pull_number)}>
              {job.repository} #{job.pull_number}
            </Link>
          ),
        },
      ]
    : [];
  return (
    <Table
      caption={caption}
      rows={jobs}
      rowKey={job => job.id}
      columns={[
        { head: "job", cell: job => <JobLink id={job.id} /> },
        { head: "state", cell: job => <State word={JOBS[job.state]} /> },
        { head: "why", wide: true, cell: job => job.reason },
        ...pull,
        { head: "suite", cell: job => <span class="nowrap">{job.suite}</span> },
        { head: "commit", cell: job => <Sha value={job.head_sha} /> },
        { head: "evals done", numeric: true, cell: job => `${job.evals_done.length} of ${job.evals.length}` },
        { head: "tries", numeric: true, cell: job => job.tries },
        {
          head: "age",
          numeric: true,
          cell: job => <span class="nowrap">{lasted(job.requested_at, job.ended_at)}</span>,
        },
        { head: "bundle", cell: job => (job.bundle_id === null ? NONE : <BundleLink id={job.bundle_id} />) },
      ]}
    />
  );
}

/** A job by its id. */
export function JobLink({ id }: { readonly id: string }) {
  return (
    <Link href={jobPath(id)}>
      <code class="nowrap">{id}</code>
    </Link>
  );
}
