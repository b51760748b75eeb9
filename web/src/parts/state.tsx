import type { Outcome, Schema, Standing } from "../api/records";
import { OUTCOMES, STANDINGS, type Word } from "../format/words";
import { Icon } from "./icon";

/** A state: its word, its sign, its colour. */
export function State({ word, strong = false }: { readonly word: Word; readonly strong?: boolean }) {
  return (
    <span class={`state tone-${word.tone}${strong ? " state-strong" : ""}`}>
      <Icon sign={word.sign} />
      {word.text}
    </span>
  );
}

/** What became of a claim. */
export function OutcomeState({ outcome, strong }: { readonly outcome: Outcome; readonly strong?: boolean }) {
  return <State word={OUTCOMES[outcome]} strong={strong ?? false} />;
}

/** How many claims ended in which way; only the ways that occur. */
export function OutcomeCounts({ counts }: { readonly counts: readonly Schema<"OutcomeCount">[] }) {
  if (counts.length === 0) return <span class="quiet">no verdicts</span>;
  return (
    <span class="states">
      {counts.map(({ outcome, count }) => (
        <State key={outcome} word={{ ...OUTCOMES[outcome], text: `${count} ${OUTCOMES[outcome].text}` }} />
      ))}
    </span>
  );
}

/** A trust level with its name. */
export function Trust({ trust }: { readonly trust: Schema<"TrustLevel"> | null }) {
  if (trust === null) return <span class="quiet">not placed yet</span>;
  return (
    <span class="state tone-plain" title={trust.reason}>
      <Icon sign="shield" />
      trust {trust.level}, {trust.name}
    </span>
  );
}

/** Where a bundle stands as evidence for the present head. */
export function Stands({ standing }: { readonly standing: Standing }) {
  return <State word={STANDINGS[standing]} />;
}

/** Marks evidence that is about a commit which is no longer the head. */
export function Stale() {
  return <State word={{ text: "stale", tone: "doubt", sign: "clock" }} />;
}
