import { Link } from "wouter-preact";
import { useAnswer } from "../../api/answer";
import type { BundlePage as Answer, ValidationState } from "../../api/records";
import { short } from "../../format/text";
import { comparePath } from "../../links";
import { Await } from "../../parts/await";
import { FindingList } from "../../parts/findings";
import { Note } from "../../parts/note";
import { Page, Section, useHash } from "../../parts/page";
import { Answers } from "./answers";
import { Arms } from "./arms";
import { Cells } from "./cells";
import { Files } from "./files";
import { Kernels } from "./kernels";
import { Ledgers } from "./ledgers";
import { Machine } from "./machine";
import { Receipts } from "./receipts";
import { Standing } from "./standing";
import { Tombstone } from "./tombstone";

const UNFINISHED: readonly ValidationState[] = ["pending", "running"];

/** Everything about one bundle. */
export function BundlePage({ id }: { readonly id: string }) {
  const loaded = useAnswer(
    "/api/v1/bundles/{bundle_id}",
    { path: { bundle_id: id } },
    page => page.bundle.upload_state === "complete" && UNFINISHED.includes(page.bundle.validation_state),
  );
  return (
    <Page title={`Bundle ${short(id, 12)}`} above={<Link href="/bundles">Bundles</Link>}>
      <p class="full-id">
        <code>{id}</code>
      </p>
      <Await loaded={loaded} what="the bundle">
        {page => <Contents page={page} />}
      </Await>
    </Page>
  );
}

const SECTIONS = [
  ["findings", "Findings"],
  ["cells", "Cells"],
  ["kernels", "Kernels of a step"],
  ["answers", "Answers"],
  ["ledger", "Path ledger"],
  ["arms", "Arms"],
  ["environment", "Environment"],
  ["receipts", "Evals, attempts, redaction"],
  ["files", "Files"],
] as const;

function Contents({ page }: { readonly page: Answer }) {
  useHash();
  const { bundle, manifest, assessment } = page;
  return (
    <>
      <Standing page={page} />
      {page.tombstone !== null && <Tombstone stone={page.tombstone} />}
      {manifest === null && page.tombstone === null && <Withheld state={bundle.validation_state} />}
      {manifest !== null && (
        <nav class="contents" aria-label="On this page">
          {SECTIONS.map(([id, title]) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
          <Link href={comparePath(bundle.bundle_id)}>Compare with another</Link>
        </nav>
      )}
      {assessment !== null && (
        <Section id="findings" title="Findings">
          <p class="quiet">
            {assessment.rules_applied} rules applied, limits of version {assessment.thresholds_version}.
          </p>
          <FindingList findings={assessment.findings} level={3} />
        </Section>
      )}
      {assessment !== null && manifest !== null && (
        <Section id="cells" title="Cells">
          <Cells cells={assessment.cells} />
        </Section>
      )}
      {assessment !== null && manifest !== null && (
        <Section id="kernels" title="Kernels of a step">
          <Kernels cells={assessment.cells} />
        </Section>
      )}
      {assessment !== null && manifest !== null && (
        <Section id="answers" title="Answers">
          <Answers assessment={assessment} />
        </Section>
      )}
      {manifest !== null && (
        <>
          <Section id="ledger" title="Path ledger">
            <Ledgers arms={manifest.arms} />
          </Section>
          <Section id="arms" title="Arms">
            <Arms arms={manifest.arms} />
          </Section>
          <Section id="environment" title="Environment">
            <Machine environment={manifest.environment} />
          </Section>
          <Section id="receipts" title="Evals, attempts, redaction">
            <Receipts manifest={manifest} />
          </Section>
          <Section id="files" title="Files">
            <Files page={page} manifest={manifest} />
          </Section>
        </>
      )}
    </>
  );
}

function Withheld({ state }: { readonly state: ValidationState }) {
  if (UNFINISHED.includes(state)) {
    return (
      <Note tone="plain">Contents are shown once validation has ended. This page looks again by itself.</Note>
    );
  }
  return (
    <Note tone="doubt">
      {state === "quarantined"
        ? "Contents are kept back until a person has looked at this bundle, because a rule found a secret or a number that cannot be."
        : "Contents are not shown: validation did not come to an end."}
    </Note>
  );
}
