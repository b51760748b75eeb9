import type { Schema } from "../../api/records";
import { bytes, count } from "../../format/numbers";
import { Facts } from "../../parts/facts";
import { Section } from "../../parts/page";

/** What is kept of a retracted bundle. */
export function Tombstone({ stone }: { readonly stone: Schema<"Tombstone"> }) {
  return (
    <Section id="tombstone" title="What is kept">
      <Facts
        facts={[
          { term: "validation was", value: stone.validation_state },
          {
            term: "trust was",
            value: stone.trust_level === null ? "not placed" : `level ${stone.trust_level}`,
          },
          {
            term: "findings",
            value: stone.findings.map(one => `${one.rule_id} (${count(one.count)})`).join(", ") || "none",
          },
          {
            term: "verdicts it decided",
            value: stone.verdicts.map(one => `${one.claim_id}: ${one.outcome}`).join(", ") || "none",
          },
          { term: "size", value: bytes(stone.size_bytes) },
          {
            term: "digests of its files",
            value: (
              <ul class="plain">
                {stone.blobs.map(digest => (
                  <li key={digest} class="digest">
                    {digest}
                  </li>
                ))}
              </ul>
            ),
          },
        ]}
      />
    </Section>
  );
}
