import type { ChallengeRef, Schema } from "../../api/records";
import { counted, NONE } from "../../format/numbers";
import { FATES } from "../../format/words";
import { State } from "../../parts/state";
import { Table } from "../../parts/table";
import { BundleLink, Sha, Time } from "../../parts/text";

/** What the service issued for runs of a pull request; a run that was begun and never handed in is seen here. */
export function Challenges({ challenges, tally }: ChallengesProps) {
  return (
    <>
      <p>
        {counted(tally.issued, "challenge")} issued: {tally.used} used, {tally.open} open, {tally.abandoned}{" "}
        abandoned, {tally.expired} expired. Those that ended without a bundle count as tries of their owner's
        bundles.
      </p>
      <Listed challenges={challenges} />
    </>
  );
}

interface ChallengesProps {
  readonly challenges: readonly ChallengeRef[];
  /** All of them, also those that are too old to be listed. */
  readonly tally: Schema<"ChallengeTally">;
}

function Listed({ challenges }: Pick<ChallengesProps, "challenges">) {
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
