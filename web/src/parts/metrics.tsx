import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { useAnswer } from "../api/answer";
import type { Schema } from "../api/records";

type Definition = Schema<"MetricDefinition">;

const Definitions = createContext<ReadonlyMap<string, Definition>>(new Map());

/** Asks once for what every metric means. Pages show their numbers without waiting for it. */
export function MetricsProvider({ children }: { readonly children: ComponentChildren }) {
  const loaded = useAnswer("/api/v1/metrics");
  const items = loaded.state === "ready" ? loaded.value.items : [];
  return (
    <Definitions.Provider value={new Map(items.map(item => [item.metric, item]))}>
      {children}
    </Definitions.Provider>
  );
}

/** What a metric means, as soon as that is known. */
export function useMetric(metric: string): Definition | undefined {
  return useContext(Definitions).get(metric);
}

/** A metric's name; its definition is its title. */
export function Metric({ name }: { readonly name: string }) {
  const definition = useMetric(name);
  return <code title={definition?.definition}>{name}</code>;
}

/** What a metric's number is: `median over steps, lower is better`. */
export function Statistic({ name }: { readonly name: string }) {
  const definition = useMetric(name);
  if (definition === undefined) return null;
  return (
    <>
      {definition.statistic} over {definition.sample}s, {definition.better} is better
    </>
  );
}
