import { useState } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import type { Outcome } from "../../api/records";
import { OUTCOMES } from "../../format/words";
import { type Filter, isFiltering, STATES } from "./filter";

/** Narrows the list down. Every change goes into the address, and back to the first page. */
export function Filters({ filter }: { readonly filter: Filter }) {
  const [, setSearch] = useSearchParams();
  const [repository, setRepository] = useState(filter.repository);
  const change = (name: keyof Filter, value: string) =>
    setSearch(before => {
      const after = new URLSearchParams(before);
      after.delete("cursor");
      if (value === "") after.delete(name);
      else after.set(name, value);
      return after;
    });
  return (
    <form
      class="filters"
      aria-label="Filter the list"
      onSubmit={event => {
        event.preventDefault();
        change("repository", repository.trim());
      }}
    >
      <Choice label="State" value={filter.state} onChange={value => change("state", value)}>
        {STATES.map(state => [state, state])}
      </Choice>
      <Choice label="Outcome" value={filter.outcome} onChange={value => change("outcome", value)}>
        {(Object.keys(OUTCOMES) as Outcome[]).map(outcome => [outcome, OUTCOMES[outcome].text])}
      </Choice>
      <label class="field">
        <span>Repository</span>
        <input
          type="text"
          value={repository}
          placeholder="owner/name"
          spellcheck={false}
          onInput={event => setRepository(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Filter</button>
      {isFiltering(filter) && <Link href="/pulls">Show all</Link>}
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: readonly (readonly [value: string, text: string])[];
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={event => onChange(event.currentTarget.value)}>
        <option value="">any</option>
        {children.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
