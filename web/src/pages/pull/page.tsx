import { Link } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import type { Schema, Verdict } from "../../api/records";
import { pullState } from "../../format/words";
import { Await } from "../../parts/await";
import { Check, CheckLine } from "../../parts/check";
import { Facts } from "../../parts/facts";
import { Empty, Note } from "../../parts/note";
import { Page, Section } from "../../parts/page";
import { OutcomeCounts, State } from "../../parts/state";
import { Outside, Sha, Time } from "../../parts/text";
import { Challenges } from "./challenges";
import { ClaimCard } from "./claim-card";
import { Evidence } from "./evidence";
import { Orders } from "./orders";
import { Rerun, Shortfalls, Waivers } from "./outlook";
import { Scope } from "./scope";

interface PullParameters {
  readonly owner: string;
  readonly name: string;
  readonly number: string;
}

/** A pull request for its reviewer: claims and verdicts first, then what they rest on. */
export function PullPage({ owner, name, number }: PullParameters) {
  const loaded = useAnswer(
    "/api/v1/pulls/{owner}/{name}/{number}",
    { path: { owner, name, number: Number(number) } },
    page => page.check?.state === "pending",
  );
  const title = loaded.state === "ready" ? loaded.value.pull.title : `${owner}/${name} #${number}`;
  return (
    <Page
      title={title}
      above={
        <>
          <Link href="/pulls">Pulls</Link> / {owner}/{name} #{number}
        </>
      }
    >
      <Await loaded={loaded} what="the pull request">
        {page => <Contents page={page} />}
      </Await>
    </Page>
  );
}

function Contents({ page }: { readonly page: Schema<"PullPage"> }) {
  const { pull } = page;
  const behind = page.judged_head_sha !== null && page.judged_head_sha !== pull.head_sha;
  return (
    <>
      <p class="meta">
        <State word={pullState(pull)} />
        <span>by {pull.author ?? "an account that is gone"}</span>
        <span>
          head <Sha value={pull.head_sha} />
        </span>
        <Outside href={pull.github_url}>on GitHub</Outside>
        <CheckLine check={page.check} headSha={pull.head_sha} />
      </p>
      {behind && (
        <Note tone="doubt">
          These verdicts are about <Sha value={page.judged_head_sha} />. The pull request is at{" "}
          <Sha value={pull.head_sha} /> now; judgement of it is under way.
        </Note>
      )}
      {page.claim_errors.length > 0 && <ClaimErrors errors={page.claim_errors} />}
      <Section id="claims" title="Claims">
        {page.verdicts.length > 1 && <OutcomeCounts counts={tally(page.verdicts)} />}
        <Claims page={page} />
        {page.claims_from === "api" && (
          <p class="quiet">Stated through the API; the description has no claims block.</p>
        )}
        <Shortfalls shortfalls={page.shortfalls} />
        <Waivers waivers={page.waivers} />
      </Section>
      <Section id="scope" title="Declared scope">
        <Scope scope={page.scope} />
      </Section>
      <Section id="evidence" title="Evidence">
        <Evidence items={page.evidence} headSha={pull.head_sha} />
        {page.rerun !== null && <Rerun plan={page.rerun} />}
      </Section>
      <Section id="orders" title="Orders">
        <Orders pull={pull} />
      </Section>
      {page.challenges.length > 0 && (
        <Section id="challenges" title="Challenges">
          <Challenges challenges={page.challenges} tally={page.challenge_tally} />
        </Section>
      )}
      <Section id="check" title="Check on GitHub">
        <Check check={page.check} headSha={pull.head_sha} />
      </Section>
      <Section id="about" title="About this pull request">
        <Facts
          facts={[
            { term: "repository", value: `${pull.repository} (id ${pull.repository_id})` },
            { term: "head", value: <Sha value={pull.head_sha} length={40} /> },
            { term: "base", value: <Sha value={pull.base_sha} length={40} /> },
            { term: "last heard of", value: <Time iso={pull.seen_at} /> },
            {
              term: "judged",
              value: page.judged_at === null ? "not yet" : <Time iso={page.judged_at} />,
            },
          ]}
        />
      </Section>
    </>
  );
}

function tally(verdicts: readonly Verdict[]): Schema<"OutcomeCount">[] {
  const outcomes = [...new Set(verdicts.map(verdict => verdict.outcome))];
  return outcomes.map(outcome => ({
    outcome,
    count: verdicts.filter(verdict => verdict.outcome === outcome).length,
  }));
}

function Claims({ page }: { readonly page: Schema<"PullPage"> }) {
  if (page.verdicts.length > 0) {
    return (
      <>
        {page.verdicts.map(verdict => (
          <ClaimCard key={verdict.claim_id} verdict={verdict} evidence={page.evidence} />
        ))}
      </>
    );
  }
  if (page.claims.length > 0) {
    const ids = page.claims.map(claim => claim.id).join(", ");
    return (
      <Empty>
        Claimed, and not judged yet: {ids}. Verdicts appear here on their own; load the page again.
      </Empty>
    );
  }
  if (page.claim_errors.length > 0)
    return <Empty>No claim is judged until the claims block can be read.</Empty>;
  return (
    <Empty>
      This pull request claims nothing. Claims are stated in a <code>byogpu-claims</code> block in its
      description.
    </Empty>
  );
}

function ClaimErrors({ errors }: { readonly errors: readonly Schema<"ClaimError">[] }) {
  return (
    <Note tone="bad">
      <strong>The claims block cannot be read.</strong> Mend these lines of the pull request's description:
      <ul>
        {errors.map(error => (
          <li key={`${error.line} ${error.code} ${error.detail}`}>
            <strong>line {error.line}</strong>: {error.detail} <code>{error.code}</code>
          </li>
        ))}
      </ul>
    </Note>
  );
}
