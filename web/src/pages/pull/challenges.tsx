import type { ChallengeRef } from "../../api/records";
import { NONE } from "../../format/numbers";
import { FATES } from "../../format/words";
import { State } from "../../parts/state";
import { Table } from "../../parts/table";
import { BundleLink, Sha, Time } from "../../parts/text";

/** What the service issued for runs of a pull request; a run that was begun and never handed in is seen here. */
export function Challenges({ challenges }: { readonly challenges: readonly ChallengeRef[] }) {
  return (
    <Table
      caption="Challenges, newest first"
      rows={challenges}
      rowKey={challenge => challenge.id}
      columns={[
        { head: "challenge", cell: challenge => <code class="nowrap">{challenge.id}</code> },
        { head: "fate", cell: challenge => <State word={FATES[challenge.fate]} /> },
        {
          head: "bundle",
          cell: challenge => (challenge.bundle_id === null ? NONE : <BundleLink id={challenge.bundle_id} />),
        },
        { head: "suite", cell: challenge => challenge.suite },
        { head: "commit", cell: challenge => <Sha value={challenge.head_sha} /> },
        { head: "node", cell: challenge => <Sha value={challenge.node_key_id} /> },
        { head: "issued", cell: challenge => <Time iso={challenge.issued_at} /> },
        { head: "expires", cell: challenge => <Time iso={challenge.expires_at} /> },
      ]}
    />
  );
}
