import { Link, useSearchParams } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import type { JobState } from "../../api/records";
import { JOBS } from "../../format/words";
import { Await } from "../../parts/await";
import { JobTable } from "../../parts/jobs";
import { Empty } from "../../parts/note";
import { Page } from "../../parts/page";
import { Paging } from "../../parts/paging";

const STATES = Object.keys(JOBS) as JobState[];

/** Runs that were ordered for machines of others, newest first. The address holds the filter. */
export function QueuePage() {
  const [search] = useSearchParams();
  const state = STATES.find(one => one === search.get("state"));
  const cursor = search.get("cursor");
  const query = {
    ...(state === undefined ? {} : { state: [state] }),
    ...(cursor === null ? {} : { cursor }),
  };
  const loaded = useAnswer("/api/v1/jobs", { query });
  return (
    <Page title="Queue">
      <p class="introduction">
        Jobs that maintainers ordered and <Link href="/nodes">nodes</Link> of contributors run. Each is for
        one commit that somebody with the right to approved, and each says why it stands where it stands.
      </p>
      <StateFilter state={state} />
      <Await loaded={loaded} what="jobs">
        {list => (
          <>
            {list.items.length === 0 ? (
              <Empty>
                {state === undefined ? (
                  <>
                    No job was ordered yet. A maintainer orders one with <code>/byogpu run smoke</code> on a
                    pull request.
                  </>
                ) : (
                  <>
                    No job is {JOBS[state].text}. <Link href="/queue">Show all</Link>
                  </>
                )}
              </Empty>
            ) : (
              <JobTable caption="Jobs, newest first" jobs={list.items} withPull />
            )}
            <Paging next={list.next_cursor} />
          </>
        )}
      </Await>
    </Page>
  );
}

function StateFilter({ state }: { readonly state: JobState | undefined }) {
  const [, setSearch] = useSearchParams();
  return (
    <form class="filters" aria-label="Filter the list" onSubmit={event => event.preventDefault()}>
      <label class="field">
        <span>State</span>
        <select
          value={state ?? ""}
          onChange={event => {
            const chosen = event.currentTarget.value;
            setSearch(() => new URLSearchParams(chosen === "" ? {} : { state: chosen }));
          }}
        >
          <option value="">any</option>
          {STATES.map(one => (
            <option key={one} value={one}>
              {JOBS[one].text}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
