import type { ComponentChildren } from "preact";
import type { Tone } from "../format/words";
import { Icon } from "./icon";

interface NoteProps {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}

/** A remark that has to be seen: stale evidence, a failed validation, a claims block that cannot be read. */
export function Note({ tone, children }: NoteProps) {
  return (
    <div class={`note tone-${tone}`}>
      <Icon sign={tone === "bad" || tone === "doubt" ? "warning" : "info"} />
      <div>{children}</div>
    </div>
  );
}

/** There is nothing, and what to do about it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
