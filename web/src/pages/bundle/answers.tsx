import type { Assessment, Schema } from "../../api/records";
import { count, counted, measured, NONE, probability } from "../../format/numbers";
import { Empty } from "../../parts/note";
import { Table } from "../../parts/table";

type Streams = Schema<"StreamFacts">;

/** How far the answers agree: of the two arms token by token, and of each arm with what the service knows. */
export function Answers({ assessment }: { readonly assessment: Assessment }) {
  const { streams, slice_scores: scores } = assessment;
  if (streams.length === 0 && scores.length === 0) {
    return <Empty>The bundle holds no token streams, and the service knows none of the answers in it.</Empty>;
  }
  return (
    <>
      {streams.length > 0 && <StreamTable streams={streams} />}
      {scores.length > 0 && (
        <Table
          caption="Hidden slice: known answers among the timed requests"
          rows={scores}
          rowKey={score => score.arm}
          columns={[
            { head: "arm", cell: score => score.arm },
            {
              head: "right answers",
              numeric: true,
              cell: score => `${count(score.right)} of ${count(score.known)}`,
            },
          ]}
        />
      )}
    </>
  );
}

function StreamTable({ streams }: { readonly streams: readonly Streams[] }) {
  return (
    <Table
      caption="Token streams, candidate against baseline"
      rows={streams}
      rowKey={one => one.eval_id}
      columns={[
        { head: "eval", cell: one => one.eval_id },
        {
          head: "greedy pairs",
          numeric: true,
          cell: one => (one.greedy === null ? NONE : count(one.greedy.pairs)),
        },
        { head: "equal", numeric: true, cell: one => (one.greedy === null ? NONE : count(one.greedy.equal)) },
        { head: "part at", wide: true, cell: one => <Parted greedy={one.greedy} /> },
        { head: "sampled first tokens", wide: true, cell: one => <Sampled sampled={one.sampled} /> },
      ]}
    />
  );
}

function Parted({ greedy }: { readonly greedy: Streams["greedy"] }) {
  if (greedy === null || greedy.equal === greedy.pairs) return <span class="quiet">nowhere</span>;
  return (
    <>
      {counted(greedy.near_ties, "near tie")}, {counted(greedy.confident, "confident disagreement")},{" "}
      {greedy.unknown} unknown
      {greedy.first_position !== null && (
        <span class="line quiet">earliest at token {greedy.first_position}</span>
      )}
    </>
  );
}

function Sampled({ sampled }: { readonly sampled: Streams["sampled"] }) {
  if (sampled === null) return <span class="quiet">not drawn</span>;
  return (
    <>
      G {measured(sampled.statistic)} over {counted(sampled.categories, "category", "categories")}, p{" "}
      {probability(sampled.p_value)}
    </>
  );
}
