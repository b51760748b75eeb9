import type { Schema } from "../../api/records";
import { counted, duration } from "../../format/numbers";
import { Note } from "../../parts/note";
import { BundleLink } from "../../parts/text";

/** What the repository's merge policy asks for and the evidence does not have. */
export function Shortfalls({ shortfalls }: { readonly shortfalls: readonly Schema<"Shortfall">[] }) {
  if (shortfalls.length === 0) return null;
  return (
    <Note tone="doubt">
      <strong>The merge policy of this repository asks for more.</strong>
      <ul>
        {shortfalls.map(one => (
          <li key={`${one.claim_id} ${one.sentence}`}>
            {one.claim_id !== null && (
              <>
                <code>{one.claim_id}</code>:{" "}
              </>
            )}
            {one.sentence}
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** What maintainers let pass at the head commit. */
export function Waivers({ waivers }: { readonly waivers: readonly Schema<"Waiver">[] }) {
  if (waivers.length === 0) return null;
  return (
    <Note tone="doubt">
      <strong>Waived for this commit.</strong>
      <ul>
        {waivers.map(one => (
          <li key={one.number}>
            waiver {one.number}: findings of <a href={`/rules#${one.rule_id}`}>{one.rule_id}</a>, by {one.by}:{" "}
            {one.reason}
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** The least that has to be measured again to make the evidence whole. */
export function Rerun({ plan }: { readonly plan: Schema<"RerunPlan"> }) {
  if (plan.runs.length === 0) return null;
  return (
    <>
      <h3>To be measured again</h3>
      <ul class="reasons">
        {plan.runs.map(run => (
          <li key={run.replaces}>
            {run.sentence}{" "}
            <span class="quiet">
              {counted(run.cells.length, "cell")}, {lasting(run)}; instead of <BundleLink id={run.replaces} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function lasting({ minutes, gpu_minutes: gpu }: Schema<"Rerun">): string {
  if (minutes === null) return "time unknown";
  const about = `about ${duration(minutes * 60)}`;
  return gpu === null || gpu === 0 ? about : `${about}, ${gpu} GPU-minutes`;
}
