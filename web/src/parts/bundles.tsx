import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import type { BundleRef } from "../api/records";
import { bytes } from "../format/numbers";
import { VALIDATIONS } from "../format/words";
import { pullPath } from "../links";
import { FindingCounts } from "./findings";
import { State, Trust } from "./state";
import { type Column, Table } from "./table";
import { BundleLink, Sha, Time } from "./text";

interface BundleTableProps {
  readonly bundles: readonly BundleRef[];
  /** A last column: what can be done with a bundle here. */
  readonly action?: (bundle: BundleRef) => ComponentChildren;
}

/** Bundles in short. */
export function BundleTable({ bundles, action }: BundleTableProps) {
  const actions: Column<BundleRef>[] = action ? [{ head: "use it", cell: action }] : [];
  return (
    <Table
      caption="Bundles, newest first"
      rows={bundles}
      rowKey={bundle => bundle.bundle_id}
      columns={[
        { head: "bundle", cell: bundle => <BundleLink id={bundle.bundle_id} /> },
        ...actions,
        { head: "pull", cell: bundle => <PullOf bundle={bundle} /> },
        { head: "commit", cell: bundle => <Sha value={bundle.head_sha} /> },
        { head: "suite", cell: bundle => bundle.suite ?? "imported" },
        { head: "validation", cell: bundle => <State word={VALIDATIONS[bundle.validation_state]} /> },
        { head: "findings", cell: bundle => <FindingCounts counts={bundle.findings} /> },
        { head: "origin", cell: bundle => <Trust trust={bundle.trust} /> },
        {
          head: "size",
          numeric: true,
          cell: bundle => <span class="nowrap">{bytes(bundle.size_bytes)}</span>,
        },
        { head: "completed", cell: bundle => bundle.completed_at && <Time iso={bundle.completed_at} /> },
      ]}
    />
  );
}

function PullOf({ bundle }: { readonly bundle: BundleRef }) {
  if (bundle.repository === null || bundle.pull_number === null) return <span class="quiet">none</span>;
  return (
    <Link href={pullPath(bundle.repository, bundle.pull_number)}>
      {bundle.repository} #{bundle.pull_number}
    </Link>
  );
}
