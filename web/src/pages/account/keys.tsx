import { useState } from "preact/hooks";
import { useLoaded } from "../../api/answer";
import { get, send } from "../../api/client";
import type { Schema } from "../../api/records";
import { utc } from "../../format/times";
import { Await } from "../../parts/await";
import { Section } from "../../parts/page";
import { Table } from "../../parts/table";
import { standing, Told, useChange } from "./change";

const PULL = /^([A-Za-z0-9_-]+)\/([A-Za-z0-9_.-]+)#([1-9][0-9]*)$/;

/** Keys of pull requests that the account issued, and a form for one more. */
export function Keys({ csrf }: { readonly csrf: string }) {
  const [made, setMade] = useState(0);
  const [secret, setSecret] = useState<string>();
  const [pull, setPull] = useState("");
  const change = useChange();
  const keys = useLoaded(`keys ${made}`, signal =>
    get("/api/v1/pull-keys", { query: { limit: 100 } }, signal),
  );
  const named = PULL.exec(pull.trim());
  const issue = ([, owner = "", name = "", number = ""]: readonly string[]) =>
    change.make("Key issued", async () => {
      const url = `/api/v1/pulls/${owner}/${name}/${number}/keys`;
      const receipt = await send<Schema<"PullKeyReceipt">>("POST", url, csrf);
      setSecret(receipt.key);
      setMade(count => count + 1);
    });
  const revoke = (id: string) =>
    change.make("Key revoked", async () => {
      await send("POST", `/api/v1/pull-keys/${id}/revoke`, csrf);
      setMade(count => count + 1);
    });
  return (
    <Section id="keys" title="Pull request keys">
      <p>For a machine that you do not own: a key uploads bundles about one commit, and does nothing else.</p>
      {change.problem}
      {secret !== undefined && <Told what="key" secret={secret} />}
      <form
        class="filters"
        aria-label="Issue a key"
        onSubmit={event => {
          event.preventDefault();
          if (named !== null) issue(named);
        }}
      >
        <label class="field">
          pull request, as owner/name#number
          <input
            type="text"
            value={pull}
            maxLength={220}
            onInput={event => setPull(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={named === null}>
          Issue a key
        </button>
      </form>
      <Await loaded={keys} what="your keys">
        {list =>
          list.items.length === 0 ? (
            <p>There is none yet.</p>
          ) : (
            <Table
              caption="Your pull request keys"
              rows={list.items}
              rowKey={key => key.id}
              columns={[
                { head: "pull request", cell: key => `${key.repository}#${key.pull_number}` },
                { head: "commit", cell: key => <code>{key.head_sha.slice(0, 12)}</code> },
                { head: "begins with", cell: key => <code>{key.prefix}</code> },
                { head: "until", cell: key => utc(key.expires_at) },
                { head: "state", cell: standing },
                {
                  head: "change",
                  cell: key =>
                    standing(key) === "works" && (
                      <button
                        type="button"
                        aria-label={`Revoke ${key.prefix}`}
                        onClick={() => revoke(key.id)}
                      >
                        Revoke
                      </button>
                    ),
                },
              ]}
            />
          )
        }
      </Await>
    </Section>
  );
}
