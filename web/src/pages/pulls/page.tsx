import { Link, useSearchParams } from "wouter-preact";
import { useLoaded } from "../../api/answer";
import { counted } from "../../format/numbers";
import { Await } from "../../parts/await";
import { Empty } from "../../parts/note";
import { Page } from "../../parts/page";
import { Paging } from "../../parts/paging";
import { type Filter, type Found, isFiltering, readFilter, search } from "./filter";
import { Filters } from "./filters";
import { PullRow } from "./row";

/** Pull requests, the last touched first. The address holds the filter and the page of the list. */
export function PullsPage({ introduced = false }: { readonly introduced?: boolean }) {
  const [parameters] = useSearchParams();
  const filter = readFilter(parameters);
  const cursor = parameters.get("cursor");
  const loaded = useLoaded(JSON.stringify([filter, cursor]), signal => search(filter, cursor, signal));
  return (
    <Page title="Pull requests">
      {introduced && <Introduction />}
      <Filters key={filter.repository} filter={filter} />
      <Await loaded={loaded} what="pull requests">
        {found => <List found={found} filter={filter} />}
      </Await>
    </Page>
  );
}

function List({ found: { list, searched }, filter }: { readonly found: Found; readonly filter: Filter }) {
  return (
    <>
      {isFiltering(filter) && (
        <p class="quiet">
          {list.items.length} of {counted(searched, "pull request")} looked through match.
        </p>
      )}
      {list.items.length === 0 ? (
        <Nothing filtering={isFiltering(filter)} more={list.next_cursor !== null} />
      ) : (
        <ol class="pulls">
          {list.items.map(item => (
            <PullRow key={`${item.pull.repository_id} ${item.pull.number}`} item={item} />
          ))}
        </ol>
      )}
      <Paging next={list.next_cursor} />
    </>
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

function Nothing({ filtering, more }: { readonly filtering: boolean; readonly more: boolean }) {
  if (filtering) {
    return (
      <Empty>
        {more ? "None of these matches; the next page looks further. " : "No pull request matches. "}
        <Link href="/pulls">Show all</Link>
      </Empty>
    );
  }
  return (
    <Empty>
      No pull request is known yet. They arrive through GitHub's webhook. To see the whole path on this
      machine, run <code>make demo</code>.
    </Empty>
  );
}
