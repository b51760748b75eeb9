import { useAnswer } from "../api/answer";
import type { Schema } from "../api/records";
import { EFFECTS, SEVERITIES } from "../format/words";
import { Await } from "../parts/await";
import { Page, Section, useHash } from "../parts/page";
import { State } from "../parts/state";
import { Prose } from "../parts/text";

type Rule = Schema<"RuleItem">;

/** Every rule a bundle is checked by. Findings link to their rule here. */
export function RulesPage() {
  const loaded = useAnswer("/api/v1/rules");
  return (
    <Page title="Rules">
      <p class="introduction">
        Every bundle is checked by every rule. The same rules run on your machine: <code>byogpu check</code>.
      </p>
      <Await loaded={loaded} what="the rules">
        {list => <Families rules={list.items} />}
      </Await>
    </Page>
  );
}

function Families({ rules }: { readonly rules: readonly Rule[] }) {
  useHash();
  const families = [...new Map(rules.map(rule => [rule.family, rule.family_title]))];
  return (
    <>
      {families.map(([family, title]) => (
        <Section key={family} id={`family-${family}`} title={`${family}: ${title}`}>
          <ul class="rules">
            {rules
              .filter(rule => rule.family === family)
              .map(rule => (
                <RuleItem key={rule.id} rule={rule} />
              ))}
          </ul>
        </Section>
      ))}
    </>
  );
}

function RuleItem({ rule }: { readonly rule: Rule }) {
  return (
    <li id={rule.id}>
      <h3>
        <a href={`#${rule.id}`}>{rule.id}</a> {rule.title}
      </h3>
      <p class="meta">
        <State word={SEVERITIES[rule.severity]} />
        <span>{EFFECTS[rule.effect]}</span>
        <span>bears on {rule.bears_on.join(", ")}</span>
        <span>version {rule.version}</span>
      </p>
      <p>
        <Prose text={rule.why} />
      </p>
      <p class="quiet">
        <Prose text={rule.hint} />
      </p>
    </li>
  );
}
