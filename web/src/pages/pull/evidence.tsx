import { Link } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import type { Schema } from "../../api/records";
import { VALIDATIONS } from "../../format/words";
import { comparePath } from "../../links";
import { Await } from "../../parts/await";
import { FindingCounts, FindingList } from "../../parts/findings";
import { Fold } from "../../parts/fold";
import { Empty, Note } from "../../parts/note";
import { Stale, Stands, State, Trust } from "../../parts/state";
import { Table } from "../../parts/table";
import { BundleLink, Sha, Time } from "../../parts/text";

type Item = Schema<"EvidenceItem">;

interface EvidenceProps {
  readonly items: readonly Item[];
  readonly headSha: string;
}

/** The bundles that were handed in for a pull request, and what the rules found in each. */
export function Evidence({ items, headSha }: EvidenceProps) {
  if (items.length === 0) {
    return (
      <Empty>
        No bundle was handed in. Run <code>byogpu run --suite smoke</code> on a checkout of this pull request,
        then <code>byogpu upload</code>.
      </Empty>
    );
  }
  const stale = items.filter(item => item.stale).length;
  const [newest, second] = items;
  return (
    <>
      {stale > 0 && (
        <Note tone="doubt">
          {stale === items.length ? "Every bundle here is" : `${stale} of ${items.length} bundles are`} about
          another commit than <Sha value={headSha} />. Such bundles are shown and count for nothing.
        </Note>
      )}
      <Table
        caption="Bundles"
        rows={items}
        rowKey={item => item.bundle.bundle_id}
        rowClass={item => (item.stale ? "stale" : "")}
        columns={[
          { head: "bundle", cell: item => <BundleLink id={item.bundle.bundle_id} /> },
          {
            head: "commit",
            cell: item => (
              <>
                <Sha value={item.bundle.head_sha} /> {item.stale && <Stale />}
              </>
            ),
          },
          { head: "stands", wide: true, cell: item => <Standing item={item} /> },
          { head: "suite", cell: item => item.bundle.suite ?? "imported" },
          { head: "validation", cell: item => <State word={VALIDATIONS[item.bundle.validation_state]} /> },
          { head: "findings", cell: item => <FindingCounts counts={item.bundle.findings} /> },
          { head: "origin", cell: item => <Trust trust={item.bundle.trust} /> },
          {
            head: "looked at for",
            wide: true,
            cell: item => item.claim_ids.join(", ") || <span class="quiet">no claim</span>,
          },
          {
            head: "completed",
            cell: item => item.bundle.completed_at && <Time iso={item.bundle.completed_at} />,
          },
        ]}
      />
      {newest !== undefined && second !== undefined && (
        <p>
          <Link href={comparePath(second.bundle.bundle_id, newest.bundle.bundle_id)}>
            Compare the two newest bundles
          </Link>
        </p>
      )}
      {items.map(item => (
        <Findings key={item.bundle.bundle_id} item={item} />
      ))}
    </>
  );
}

function Standing({ item }: { readonly item: Item }) {
  if (item.lifetime === null) return <span class="quiet">not judged yet</span>;
  const { standing, reason, by } = item.lifetime;
  return (
    <>
      <Stands standing={standing} />
      <span class="line quiet">
        {reason}
        {by !== null && (
          <>
            {" "}
            (<BundleLink id={by} />)
          </>
        )}
      </span>
    </>
  );
}

function Findings({ item }: { readonly item: Item }) {
  const { findings, bundle_id: id } = item.bundle;
  if (findings === null || findings.error + findings.warning + findings.info === 0) return null;
  return (
    <Fold
      summary={
        <>
          Findings in <code>{id.slice(0, 12)}</code> <FindingCounts counts={findings} />
        </>
      }
    >
      {() => <LoadedFindings id={id} />}
    </Fold>
  );
}

function LoadedFindings({ id }: { readonly id: string }) {
  const loaded = useAnswer("/api/v1/bundles/{bundle_id}", { path: { bundle_id: id } });
  return (
    <Await loaded={loaded} what="the findings">
      {page => <FindingList findings={page.assessment?.findings ?? []} level={3} />}
    </Await>
  );
}
