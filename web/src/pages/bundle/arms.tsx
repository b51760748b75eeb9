import type { Manifest } from "../../api/records";
import { arm as entries } from "../../format/entries";
import { Empty } from "../../parts/note";
import { SideBySide } from "../../parts/side-by-side";

/** The arms side by side; lines in which they differ are marked. */
export function Arms({ arms }: { readonly arms: Manifest["arms"] }) {
  if (arms.length === 0) return <Empty>The bundle describes no arm.</Empty>;
  return <SideBySide caption="Arms" sides={arms.map(one => ({ head: one.name, entries: entries(one) }))} />;
}
