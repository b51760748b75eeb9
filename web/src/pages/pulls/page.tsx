import { useSearchParams } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import { Await } from "../../parts/await";
import { Empty } from "../../parts/note";
import { Page } from "../../parts/page";
import { Paging } from "../../parts/paging";
import { PullRow } from "./row";

/** Pull requests, the last touched first. */
export function PullsPage({ introduced = false }: { readonly introduced?: boolean }) {
  const [search] = useSearchParams();
  const cursor = search.get("cursor");
  const loaded = useAnswer("/api/v1/pulls", { query: cursor === null ? {} : { cursor } });
  return (
    <Page title="Pull requests">
      {introduced && <Introduction />}
      <Await loaded={loaded} what="pull requests">
        {list => (
          <>
            {list.items.length === 0 ? (
              <Nothing />
            ) : (
              <ol class="pulls">
                {list.items.map(item => (
                  <PullRow key={`${item.pull.repository_id} ${item.pull.number}`} item={item} />
                ))}
              </ol>
            )}
            <Paging next={list.next_cursor} />
          </>
        )}
      </Await>
    </Page>
  );
}

function Introduction() {
  return (
    <p class="introduction">
      A pull request claims that something got faster, or that answers did not change. Its author measures
      baseline and candidate side by side on their own machine and hands in a signed bundle of raw samples.
      This service recomputes every number from those samples and judges each claim: supported, contradicted,
      inconclusive, no evidence, or not comparable. Nothing typed is believed.
    </p>
  );
}

function Nothing() {
  return (
    <Empty>
      No pull request is known yet. They arrive through GitHub's webhook. To see the whole path on this
      machine, run <code>make demo</code>.
    </Empty>
  );
}
