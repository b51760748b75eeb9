import { useAnswer } from "../api/answer";
import type { Schema } from "../api/records";
import { count, counted, duration, NONE } from "../format/numbers";
import { utc } from "../format/times";
import { Await } from "../parts/await";
import { Facts } from "../parts/facts";
import { Note } from "../parts/note";
import { Page, Section } from "../parts/page";
import { Table } from "../parts/table";

type Status = Schema<"Status">;

/** What the service says of itself: what is missing or late, and how much work there is. */
export function StatusPage() {
  const status = useAnswer("/api/v1/status");
  return (
    <Page title="Status">
      <Await loaded={status} what="the status">
        {found => (
          <>
            <p class="introduction">As of {utc(found.at)}.</p>
            <Holes holes={found.holes} />
            <Section id="work" title="Work">
              <Facts facts={facts(found)} />
            </Section>
          </>
        )}
      </Await>
    </Page>
  );
}

function Holes({ holes }: { readonly holes: Status["holes"] }) {
  if (holes.length === 0) return <Note tone="good">Nothing is missing or late.</Note>;
  return (
    <>
      <Note tone="bad">{counted(holes.length, "thing is", "things are")} missing or late.</Note>
      <Table
        caption="Missing or late"
        rows={holes}
        rowKey={hole => hole.code}
        columns={[
          { head: "what", wide: true, cell: hole => hole.sentence },
          { head: "how many", numeric: true, cell: hole => count(hole.count) },
          {
            head: "for",
            numeric: true,
            cell: hole => (hole.since_s === null ? NONE : duration(hole.since_s)),
          },
          { head: "code", cell: hole => <code>{hole.code}</code> },
        ]}
      />
    </>
  );
}

function facts(found: Status) {
  return [
    {
      term: "tasks waiting",
      value: `${count(found.tasks_waiting)}${found.tasks_waiting > 0 ? `, the oldest for ${duration(found.oldest_waiting_s)}` : ""}`,
    },
    { term: "uploads open", value: count(found.uploads_open) },
    { term: "checks not on GitHub yet", value: count(found.checks_waiting) },
    { term: "orders waiting", value: count(found.jobs_waiting) },
    { term: "orders running", value: count(found.jobs_running) },
    { term: "nodes", value: `${count(found.nodes)} asked for work within ten minutes` },
  ];
}
