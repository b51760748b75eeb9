import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface FoldProps {
  readonly summary: ComponentChildren;
  readonly open?: boolean;
  /** Made when it is opened for the first time. */
  readonly children: () => ComponentChildren;
}

/** Something that is shown when asked for. */
export function Fold({ summary, open = false, children }: FoldProps) {
  const [opened, setOpened] = useState(open);
  return (
    <details open={open} onToggle={event => event.currentTarget.open && setOpened(true)}>
      <summary>{summary}</summary>
      {opened && <div class="fold">{children()}</div>}
    </details>
  );
}
