import { Link, useSearchParams } from "wouter-preact";
import { useAnswer } from "../api/answer";
import { comparePath } from "../links";
import { Await } from "../parts/await";
import { BundleTable } from "../parts/bundles";
import { Empty } from "../parts/note";
import { Page } from "../parts/page";
import { Paging } from "../parts/paging";

/** Bundles, newest first. */
export function BundlesPage() {
  const [search] = useSearchParams();
  const cursor = search.get("cursor");
  const loaded = useAnswer("/api/v1/bundles", { query: cursor === null ? {} : { cursor } });
  return (
    <Page title="Bundles">
      <Await loaded={loaded} what="bundles">
        {list => (
          <>
            {list.items.length === 0 ? (
              <Empty>
                No bundle was handed in yet. <code>byogpu run --suite smoke</code> makes one,{" "}
                <code>byogpu upload</code> hands it in.
              </Empty>
            ) : (
              <BundleTable
                bundles={list.items}
                action={bundle => <Link href={comparePath(bundle.bundle_id)}>compare</Link>}
              />
            )}
            <Paging next={list.next_cursor} />
          </>
        )}
      </Await>
    </Page>
  );
}
