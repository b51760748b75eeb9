import { Link } from "wouter-preact";
import type { Schema } from "../../api/records";
import { counted } from "../../format/numbers";
import { pullState } from "../../format/words";
import { pullPath } from "../../links";
import { CheckLine } from "../../parts/check";
import { OutcomeCounts, State } from "../../parts/state";
import { Sha, Time } from "../../parts/text";

type Item = Schema<"PullItem">;

/** One pull request in the list: what it is, what became of its claims, where its check stands. */
export function PullRow({ item }: { readonly item: Item }) {
  const { pull } = item;
  return (
    <li>
      <div class="pull-what">
        <h2>
          <Link href={pullPath(pull.repository, pull.number)}>{pull.title}</Link>
        </h2>
        <p class="meta">
          <State word={pullState(pull)} />
          <span>
            {pull.repository} #{pull.number}
          </span>
          <span>by {pull.author ?? "an account that is gone"}</span>
          <Sha value={pull.head_sha} />
          <Time iso={pull.seen_at} />
        </p>
      </div>
      <div class="pull-claims">
        <OutcomeCounts counts={item.outcomes} />
        <span class="quiet">{counted(item.bundles, "bundle")}</span>
      </div>
      <div class="pull-check">
        <CheckLine check={item.check} headSha={pull.head_sha} />
      </div>
    </li>
  );
}
