import { useAnswer } from "../api/answer";
import type { Schema } from "../api/records";
import { count, duration } from "../format/numbers";
import { Await } from "../parts/await";
import { Facts } from "../parts/facts";
import { Page, Section, useHash } from "../parts/page";
import { Table } from "../parts/table";

type Suite = Schema<"Suite">;
type Plan = Suite["evals"][number];

/** The published suites, and what their metrics mean. */
export function SuitesPage() {
  const suites = useAnswer("/api/v1/suites");
  const metrics = useAnswer("/api/v1/metrics");
  return (
    <Page title="Suites">
      <p class="introduction">
        A suite is a fixed plan: what is run, in which order, and how few samples are too few. It is named by
        its digest.
      </p>
      <Await loaded={suites} what="the suites">
        {list => (
          <>
            {list.items.map(({ suite, digest }) => (
              <SuiteSection key={digest} suite={suite} digest={digest} />
            ))}
          </>
        )}
      </Await>
      <Section id="metrics" title="Metrics">
        <Await loaded={metrics} what="the metrics">
          {list => <Metrics items={list.items} />}
        </Await>
      </Section>
    </Page>
  );
}

function SuiteSection({ suite, digest }: { readonly suite: Suite; readonly digest: string }) {
  const { p50, p90, p99 } = suite.sample_floor;
  return (
    <Section id={`${suite.id}-${suite.version}`} title={`${suite.id}/${suite.version}`}>
      <p>{suite.title}</p>
      <Facts
        facts={[
          { term: "digest", value: <span class="digest">{digest}</span> },
          { term: "model configuration", value: <code>{suite.subject_config}</code> },
          {
            term: "fewest samples",
            value: `${count(p50)} for a median, ${count(p90)} for p90, ${count(p99)} for p99`,
          },
        ]}
      />
      <Table
        caption={`Evals of ${suite.id}`}
        rows={suite.evals}
        rowKey={plan => plan.id}
        columns={[
          { head: "eval", cell: plan => <code>{plan.id}</code> },
          { head: "kind", cell: plan => plan.kind },
          { head: "plan", wide: true, cell: planned },
          { head: "time limit", numeric: true, cell: plan => duration(plan.time_limit_s) },
        ]}
      />
    </Section>
  );
}

function planned(plan: Plan): string {
  switch (plan.kind) {
    case "kernel_numerics":
      return "each operator against its float64 reference";
    case "decode_step":
      return `batch ${plan.batches.join(", ")}; context ${plan.context_tokens.join(", ")}; ${plan.steps_per_block} steps a block after ${plan.warmup_steps} to warm up; ${order(plan)}`;
    case "serving":
      return `${plan.concurrency.join(", ")} requests at a time; ${plan.requests_per_block} a block; ${plan.input_tokens} tokens in, ${plan.output_tokens} out; ${order(plan)}`;
    case "accuracy":
      return `${plan.tasks.join(", ")}; at least ${plan.minimum_documents} documents, ${plan.concurrency} at a time`;
  }
}

function order({
  block_order: blocks,
  rounds,
}: {
  readonly block_order: readonly string[];
  readonly rounds: number;
}) {
  return `blocks ${blocks.map(name => name.charAt(0).toUpperCase()).join(" ")}, ${rounds} times`;
}

function Metrics({ items }: { readonly items: readonly Schema<"MetricDefinition">[] }) {
  useHash();
  return (
    <Table
      caption="Metrics"
      rows={items}
      rowKey={item => item.metric}
      columns={[
        { head: "metric", cell: item => <code>{item.metric}</code> },
        { head: "unit", cell: item => item.unit },
        { head: "better", cell: item => item.better },
        { head: "number shown", cell: item => `${item.statistic} over ${item.sample}s` },
        { head: "definition", wide: true, cell: item => item.definition },
      ]}
    />
  );
}
