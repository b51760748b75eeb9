import type { Environment } from "../../api/records";
import { type Entry, machine } from "../../format/entries";
import { Facts } from "../../parts/facts";
import { Fold } from "../../parts/fold";
import { Value } from "../../parts/side-by-side";

const FOLDED = 20;

/** The machine a bundle was measured on, as it was captured. */
export function Machine({ environment }: { readonly environment: Environment | "unknown" }) {
  const entries = machine(environment);
  const groups = [...new Set(entries.map(entry => entry.group))];
  return (
    <div class="groups">
      {groups.map(group => (
        <Group key={group} name={group} entries={entries.filter(entry => entry.group === group)} />
      ))}
    </div>
  );
}

function Group({ name, entries }: { readonly name: string; readonly entries: readonly Entry[] }) {
  if (entries.length > FOLDED) {
    return <Fold summary={`${entries.length} ${name}`}>{() => <Captured entries={entries} />}</Fold>;
  }
  return (
    <div>
      <h3>{name}</h3>
      <Captured entries={entries} />
    </div>
  );
}

function Captured({ entries }: { readonly entries: readonly Entry[] }) {
  return <Facts facts={entries.map(entry => ({ term: entry.name, value: <Value value={entry.value} /> }))} />;
}
