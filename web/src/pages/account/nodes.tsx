import { useState } from "preact/hooks";
import { useLoaded } from "../../api/answer";
import { get, send } from "../../api/client";
import { utc } from "../../format/times";
import { Await } from "../../parts/await";
import { Section } from "../../parts/page";
import { Table } from "../../parts/table";
import { useChange } from "./change";

/** The account's machines. */
export function Nodes({ csrf }: { readonly csrf: string }) {
  const [made, setMade] = useState(0);
  const change = useChange();
  const nodes = useLoaded(`nodes ${made}`, signal =>
    get("/api/v1/account/nodes", { query: { limit: 100 } }, signal),
  );
  const revoke = (id: string) =>
    change.make("Node revoked", async () => {
      await send("POST", `/api/v1/nodes/${id}/revoke`, csrf);
      setMade(number => number + 1);
    });
  return (
    <Section id="nodes" title="Nodes">
      <p>
        Machines whose signature is yours. A machine is registered from there:{" "}
        <code>byogpu node register</code>.
      </p>
      {change.problem}
      <Await loaded={nodes} what="your nodes">
        {list =>
          list.items.length === 0 ? (
            <p>There is none yet.</p>
          ) : (
            <Table
              caption="Your nodes"
              rows={list.items}
              rowKey={node => node.key_id}
              columns={[
                { head: "key", cell: node => <code>{node.key_id.slice(0, 16)}</code> },
                { head: "registered", cell: node => utc(node.registered_at) },
                { head: "state", cell: node => (node.revoked_at === null ? "works" : "revoked") },
                {
                  head: "change",
                  cell: node =>
                    node.revoked_at === null && (
                      <button
                        type="button"
                        aria-label={`Revoke ${node.key_id.slice(0, 16)}`}
                        onClick={() => revoke(node.key_id)}
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
