import { useEffect, useRef, useState } from "preact/hooks";
import { estimated, interval } from "../format/numbers";
import { bounds, type IntervalChartProps } from "./props";

type State = "loading" | "drawn" | "failed";

/**
 * Intervals on an axis, with what they are held against. Draws what the service found and computes nothing; the
 * same numbers stand in the table beside it.
 */
export function IntervalChart(props: IntervalChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [state, setState] = useState<State>("loading");
  const label = spoken(props);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `label` holds every number that is drawn
  useEffect(() => {
    if (width === 0) return;
    let wanted = true;
    import("./draw")
      .then(({ draw }) => {
        if (!wanted) return;
        box.current?.replaceChildren(draw(props, width, label));
        setState("drawn");
      })
      .catch(() => wanted && setState("failed"));
    return () => {
      wanted = false;
    };
  }, [width, label]);

  return (
    <figure class="chart">
      <div ref={box} class="chart-box" style={{ minHeight: `${props.rows.length * 28 + 24}px` }} />
      {state === "failed" && (
        <p class="quiet">The chart could not be loaded. The table holds the same numbers.</p>
      )}
      <figcaption>
        <Key mark="dot" text="estimate" />
        <Key mark="line" text="95 % interval" />
        <Key
          mark="rule"
          text={`${props.kind === "ratio" ? "1×" : "0 points"}: equal to ${props.against ?? "the baseline"}`}
        />
        {bounds(props.claimed).length > 0 && <Key mark="dashed" text="claimed" />}
        {props.rows.some(row => row.noise !== null) && (
          <Key mark="band" text="noise floor: the baseline against itself" />
        )}
      </figcaption>
    </figure>
  );
}

function Key({ mark, text }: { readonly mark: string; readonly text: string }) {
  return (
    <span class="key">
      <span class={`key-mark key-${mark}`} aria-hidden="true" />
      {text}
    </span>
  );
}

/** The chart in words, for those who do not see it. */
function spoken({ title, kind, rows, claimed }: IntervalChartProps): string {
  const lines = rows.map(row => {
    const noise = row.noise === null ? "" : `, noise floor ${row.noise.toFixed(3)}×`;
    return `${row.label}: ${estimated(row.value, kind)}, 95 % interval ${interval(row.low, row.high, kind)}${noise}`;
  });
  const claims = bounds(claimed)
    .map(bound => estimated(bound, kind))
    .join(" to ");
  return `${title}. ${lines.join(". ")}.${claims === "" ? "" : ` Claimed: ${claims}.`}`;
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
