import type { Sign } from "../format/words";

const CIRCLE = "M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z";

// Shapes differ, so that they can be told apart without colour.
const STROKES: Readonly<Record<Sign | "outside" | "save", string>> = {
  check: `${CIRCLE}M5 8.3l2.2 2.2L11.2 6`,
  cross: "M5.5 1.5h5l4 4v5l-4 4h-5l-4-4v-5zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
  wave: `${CIRCLE}M4.5 8.8c1.2-2 2.3-2 3.5-.8s2.3 1.2 3.5-.8`,
  empty: CIRCLE,
  unequal: "M2 2h12v12H2zM5 6.5h6M5 9.5h6M9.8 4.5l-3.6 7",
  open: `${CIRCLE}M9.5 8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z`,
  merged:
    "M4.5 5.5v5M4.5 5.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM4.5 14.1a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM11.5 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM4.5 5.5c0 2 2.5 2.5 5.2 2.5",
  clock: `${CIRCLE}M8 4.5V8l2.5 1.5`,
  shield: "M8 1.5l5.5 2v4.2c0 3-2.2 5.5-5.5 6.8-3.3-1.3-5.5-3.8-5.5-6.8V3.5z",
  info: `${CIRCLE}M8 7.3V11M8 4.8v.3`,
  warning: "M8 1.8l6.7 12.2H1.3zM8 6.3v3.5M8 11.6v.3",
  outside: "M6.5 3.5H3v9.5h9.5V9.5M9 2.5h4.5V7M13.3 2.7L7.5 8.5",
  save: "M8 2v8M4.8 7L8 10.2 11.2 7M2.5 13.5h11",
};

/** A small sign beside a word; the word says it, so assistive technology passes the sign over. */
export function Icon({ sign }: { readonly sign: keyof typeof STROKES }) {
  return (
    <svg class={`icon icon-${sign}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={STROKES[sign]} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />
    </svg>
  );
}
