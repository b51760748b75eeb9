import type { ComponentChildren } from "preact";

/** A term and what is known of it. */
export interface Fact {
  readonly term: string;
  readonly value: ComponentChildren;
}

/** Terms with their values, side by side. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ term, value }) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
