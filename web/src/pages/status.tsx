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
            <Troubles troubles={found.troubles} />
            <Section id="work" title="Work">
              <Facts facts={facts(found)} />
            </Section>
          </>
        )}
      </Await>
    </Page>
  );
}

function Troubles({ troubles }: { readonly troubles: Status["troubles"] }) {
  if (troubles.length === 0) return <Note tone="good">Nothing is missing or late.</Note>;
  return (
    <>
      <Note tone="bad">{counted(troubles.length, "thing is", "things are")} missing or late.</Note>
      <Table
        caption="Missing or late"
        rows={troubles}
        rowKey={trouble => trouble.code}
        columns={[
          { head: "what", wide: true, cell: trouble => trouble.sentence },
          { head: "how many", numeric: true, cell: trouble => count(trouble.count) },
          {
            head: "for",
            numeric: true,
            cell: trouble => (trouble.since_s === null ? NONE : duration(trouble.since_s)),
          },
          { head: "code", cell: trouble => <code>{trouble.code}</code> },
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
