import { Link } from "wouter-preact";
import type { Finding, Schema, Severity } from "../api/records";
import { counted } from "../format/numbers";
import { EFFECTS, SEVERITIES } from "../format/words";
import { rulePath } from "../links";
import { Empty } from "./note";
import { State } from "./state";
import { Prose } from "./text";

const ORDER: readonly Severity[] = ["error", "warning", "info"];

const NOUNS: Readonly<Record<Severity, readonly [one: string, many: string]>> = {
  error: ["error", "errors"],
  warning: ["warning", "warnings"],
  info: ["note", "notes"],
};

/** How many findings there are of each severity. */
export function FindingCounts({ counts }: { readonly counts: Schema<"FindingCounts"> | null }) {
  if (counts === null) return <span class="quiet">not checked yet</span>;
  const there = ORDER.filter(severity => counts[severity] > 0);
  if (there.length === 0) return <span class="quiet">none</span>;
  return (
    <span class="states">
      {there.map(severity => (
        <State
          key={severity}
          word={{ ...SEVERITIES[severity], text: counted(counts[severity], ...NOUNS[severity]) }}
        />
      ))}
    </span>
  );
}

interface FindingListProps {
  readonly findings: readonly Finding[];
  /** Level of the headings of the groups. */
  readonly level: 3 | 4;
}

/** Findings by severity, each with its place, what to do about it, and its rule. */
export function FindingList({ findings, level }: FindingListProps) {
  if (findings.length === 0) return <Empty>Every rule was applied and none found anything.</Empty>;
  const Heading = `h${level}` as const;
  return (
    <>
      {ORDER.map(severity => {
        const group = findings.filter(finding => finding.severity === severity);
        if (group.length === 0) return null;
        return (
          <div key={severity} class="finding-group">
            <Heading>
              <State word={{ ...SEVERITIES[severity], text: counted(group.length, ...NOUNS[severity]) }} />
            </Heading>
            <ul class="findings">
              {group.map(finding => (
                <FindingItem
                  key={`${finding.rule_id} ${finding.where} ${finding.detail}`}
                  finding={finding}
                />
              ))}
            </ul>
          </div>
        );
      })}
    </>
  );
}

function FindingItem({ finding }: { readonly finding: Finding }) {
  return (
    <li>
      <p>
        <Link href={rulePath(finding.rule_id)}>{finding.rule_id}</Link> <strong>{finding.title}</strong>{" "}
        <code class="where">{finding.where}</code>
      </p>
      <p>{finding.detail}</p>
      <p class="quiet">
        <Prose text={finding.hint} /> Effect: {EFFECTS[finding.effect]}.
      </p>
    </li>
  );
}
