import { type ComponentChildren, Fragment } from "preact";
import type { Estimate, Outcome, Schema, Verdict } from "../../api/records";
import { claimedBounds } from "../../charts/claimed";
import { IntervalChart } from "../../charts/intervals";
import { intervalsOf } from "../../charts/rows";
import { selected } from "../../format/cells";
import { count, counted, duration, estimated, interval, probability } from "../../format/numbers";
import { CellTable } from "../../parts/cells";
import { Fold } from "../../parts/fold";
import { Metric } from "../../parts/metrics";
import { OutcomeState, Stale, Trust } from "../../parts/state";
import { BundleLink } from "../../parts/text";

interface ClaimCardProps {
  readonly verdict: Verdict;
  readonly evidence: readonly Schema<"EvidenceItem">[];
}

/** One claim: what it says, what became of it and why, how sure that is, and what would settle it. */
export function ClaimCard({ verdict, evidence }: ClaimCardProps) {
  const { claim, estimate } = verdict;
  const id = `claim-${claim.id}`;
  return (
    <article class={`claim edge-${verdict.outcome}`} aria-labelledby={id}>
      <header>
        <OutcomeState outcome={verdict.outcome} strong />
        <h3 id={id}>{claim.id}</h3>
        <p class="claim-said">
          <Metric name={claim.metric} /> <strong>{claim.relation_text}</strong> at {selected(claim)}
        </p>
      </header>
      <p class="claim-reason">{verdict.reason}</p>
      <div class="claim-figures">
        <Figures verdict={verdict} />
        {estimate !== null && <Chart verdict={verdict} kind={estimate.kind} />}
      </div>
      {verdict.next_run !== null && <NextRun next={verdict.next_run} />}
      {verdict.bundle_ids.length > 0 && <Sources ids={verdict.bundle_ids} evidence={evidence} />}
      {verdict.cells.length > 0 && (
        <Fold summary={`${counted(verdict.cells.length, "cell")} behind this verdict`}>
          {() => (
            <>
              <CellTable
                caption={`Cells behind the claim ${claim.id}`}
                rows={verdict.cells.map(one => ({ cell: one.cell, verdict: one }))}
              />
              <ul class="reasons">
                {verdict.cells.map(one => (
                  <li key={`${one.cell.cell.id} ${one.cell.cell.metric}`}>
                    <code>{one.cell.cell.id}</code>: {one.reason}
                  </li>
                ))}
              </ul>
            </>
          )}
        </Fold>
      )}
    </article>
  );
}

const SETTLED: readonly Outcome[] = ["supported", "contradicted"];

function Figures({ verdict }: { readonly verdict: Verdict }) {
  const { estimate, samples, p_value: p, trust } = verdict;
  return (
    <dl class="figures">
      {estimate !== null && (
        <>
          <Figure
            term={estimate.kind === "ratio" ? "candidate against baseline" : "candidate minus baseline"}
          >
            <span class="large">{estimated(estimate.value, estimate.kind)}</span>
          </Figure>
          <Figure term="95 % interval">
            <span class="large">{interval(estimate.low, estimate.high, estimate.kind)}</span>
          </Figure>
        </>
      )}
      {samples !== null && (
        <Figure term="samples, baseline and candidate">
          {count(samples[0])} and {count(samples[1])}
        </Figure>
      )}
      {verdict.unit !== null && <Figure term="unit of the metric">{verdict.unit}</Figure>}
      {(p !== null || SETTLED.includes(verdict.outcome)) && (
        <Figure term="chance of error, corrected">
          {p === null ? "none: not a matter of chance" : `p ${probability(p)}`}
          {p !== null && verdict.tries > 1 && ` over ${verdict.tries} tries`}
        </Figure>
      )}
      {trust !== null && (
        <Figure term="origin of the evidence">
          <Trust trust={trust} />
        </Figure>
      )}
    </dl>
  );
}

function Figure({ term, children }: { readonly term: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Chart({ verdict, kind }: { readonly verdict: Verdict; readonly kind: Estimate["kind"] }) {
  const rows = intervalsOf(
    verdict.cells.map(one => one.cell),
    kind,
  );
  return (
    <IntervalChart
      title={`Cells of the claim ${verdict.claim_id}`}
      kind={kind}
      rows={rows}
      claimed={claimedBounds(verdict.claim.relation, kind)}
    />
  );
}

function NextRun({ next }: { readonly next: Schema<"NextRun"> }) {
  const parts = [
    next.suite === null ? null : `suite ${next.suite}`,
    next.rounds === null ? null : counted(next.rounds, "round"),
    next.hardware,
    next.minutes === null ? null : `about ${duration(next.minutes * 60)}`,
    next.gpu_minutes === null || next.gpu_minutes === 0 ? null : `${next.gpu_minutes} GPU-minutes`,
  ].filter(part => part !== null);
  return (
    <div class="next-run">
      <h4>What would settle it</h4>
      <p>{next.sentence}</p>
      {parts.length > 0 && <p class="quiet">{parts.join(" · ")}</p>}
    </div>
  );
}

function Sources({
  ids,
  evidence,
}: {
  readonly ids: readonly string[];
  readonly evidence: ClaimCardProps["evidence"];
}) {
  const stale = new Set(evidence.filter(item => item.stale).map(item => item.bundle.bundle_id));
  return (
    <p class="sources">
      Looked at{" "}
      {ids.map((id, index) => (
        <Fragment key={id}>
          {index > 0 && ", "}
          <BundleLink id={id} />
          {index === 0 && ids.length > 1 && " (decides)"}
          {stale.has(id) && (
            <>
              {" "}
              <Stale />
            </>
          )}
        </Fragment>
      ))}
    </p>
  );
}
