import { Link } from "wouter-preact";
import type { BundlePage, BundleRef } from "../../api/records";
import { bytes } from "../../format/numbers";
import { RULINGS, SIGNATURES, UPLOADS, VALIDATIONS } from "../../format/words";
import { pullPath } from "../../links";
import { type Fact, Facts } from "../../parts/facts";
import { Note } from "../../parts/note";
import { Stale, Stands, State, Trust } from "../../parts/state";
import { BundleLink, Sha, Time } from "../../parts/text";

/** Where a bundle stands: each state machine for itself, then what it is about. */
export function Standing({ page }: { readonly page: BundlePage }) {
  const { bundle } = page;
  return (
    <>
      {bundle.rulings.map(ruling => (
        <Note key={ruling.kind} tone={ruling.kind === "released" || ruling.undone !== null ? "plain" : "bad"}>
          <strong>{RULINGS[ruling.kind]}.</strong> {ruling.reason} <Time iso={ruling.at} />
          {ruling.undone !== null && (
            <p>
              <strong>Taken back: it counts again.</strong> {ruling.undone.reason}{" "}
              <Time iso={ruling.undone.at} />
            </p>
          )}
        </Note>
      ))}
      {page.stale && page.pull !== null && page.lifetime?.standing !== "retracted" && (
        <Note tone="doubt">
          This bundle is about commit <Sha value={bundle.head_sha} />; the pull request is at{" "}
          <Sha value={page.pull.head_sha} />. It is shown and counts for nothing.
        </Note>
      )}
      <div class="standing">
        <Facts facts={states(page)} />
        <Facts facts={subject(page)} />
      </div>
    </>
  );
}

function states({ bundle, lifetime, placement }: BundlePage): Fact[] {
  return [
    { term: "upload", value: <State word={UPLOADS[bundle.upload_state]} /> },
    {
      term: "validation",
      value: (
        <>
          <State word={VALIDATIONS[bundle.validation_state]} />
          {bundle.validation_detail !== "" && <span class="line">{bundle.validation_detail}</span>}
        </>
      ),
    },
    { term: "signature", value: <State word={SIGNATURES[bundle.signature]} /> },
    {
      term: "trust",
      value: (
        <>
          <Trust trust={bundle.trust} />
          {bundle.trust !== null && <span class="line quiet">{bundle.trust.reason}</span>}
          {placement !== null && (
            <span class="line quiet">
              reproduced by {placement.reproduced} of {placement.quorum} independent parties
            </span>
          )}
        </>
      ),
    },
    {
      term: "as evidence",
      value:
        lifetime === null ? (
          <span class="quiet">not judged for a pull request</span>
        ) : (
          <>
            <Stands standing={lifetime.standing} />
            <span class="line quiet">{lifetime.reason}</span>
            {lifetime.by !== null && <BundleLink id={lifetime.by} />}
          </>
        ),
    },
    {
      term: "node",
      value:
        bundle.node_key_id === null ? (
          <span class="quiet">no registered node</span>
        ) : (
          <>
            {bundle.node_owner ?? "owner unknown"}, key <Sha value={bundle.node_key_id} />
          </>
        ),
    },
  ];
}

function subject({ bundle, pull, stale, manifest }: BundlePage): Fact[] {
  return [
    {
      term: "pull request",
      value:
        pull === null ? (
          <span class="quiet">{named(bundle) ?? "none"}</span>
        ) : (
          <Link href={pullPath(pull.repository, pull.number)}>
            {pull.repository} #{pull.number}: {pull.title}
          </Link>
        ),
    },
    {
      term: "commit",
      value: (
        <>
          <Sha value={bundle.head_sha} /> {stale && <Stale />}
        </>
      ),
    },
    {
      term: "suite",
      value:
        bundle.suite === null ? <span class="quiet">none</span> : <Link href="/suites">{bundle.suite}</Link>,
    },
    {
      term: "origin",
      value: manifest?.origin.kind === "imported" ? imported(manifest.origin) : bundle.origin,
    },
    { term: "size", value: bytes(bundle.size_bytes) },
    { term: "registered", value: <Time iso={bundle.created_at} /> },
    {
      term: "complete",
      value: bundle.completed_at === null ? "not yet" : <Time iso={bundle.completed_at} />,
    },
    {
      term: "validated",
      value: bundle.validated_at === null ? "not yet" : <Time iso={bundle.validated_at} />,
    },
  ];
}

function named(bundle: BundleRef): string | null {
  if (bundle.repository === null || bundle.pull_number === null) return null;
  return `${bundle.repository} #${bundle.pull_number}, not known here`;
}

function imported({
  tool,
  tool_version: version,
}: {
  readonly tool: string;
  readonly tool_version: string;
}): string {
  return `imported from ${tool}, version ${version}`;
}
