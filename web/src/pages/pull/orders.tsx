import { useAnswer } from "../../api/answer";
import type { PullRef } from "../../api/records";
import { Await } from "../../parts/await";
import { JobTable } from "../../parts/jobs";
import { Empty } from "../../parts/note";

/** What was ordered for a pull request on machines of others. */
export function Orders({ pull }: { readonly pull: PullRef }) {
  const loaded = useAnswer(
    "/api/v1/jobs",
    { query: { pull: `${pull.repository}/${pull.number}`, limit: 100 } },
    list => list.items.some(job => job.ended_at === null),
  );
  return (
    <Await loaded={loaded} what="orders">
      {list =>
        list.items.length === 0 ? (
          <Empty>
            Nothing was ordered. Who may write to the repository orders a run with{" "}
            <code>/byogpu run smoke</code>.
          </Empty>
        ) : (
          <JobTable caption="Orders, newest first" jobs={list.items} />
        )
      }
    </Await>
  );
}
