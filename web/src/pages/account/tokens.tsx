import { useState } from "preact/hooks";
import { useLoaded } from "../../api/answer";
import { get, send } from "../../api/client";
import type { Schema } from "../../api/records";
import { utc } from "../../format/times";
import { Await } from "../../parts/await";
import { Section } from "../../parts/page";
import { Table } from "../../parts/table";
import { standing, Told, useChange } from "./change";

type Scope = Schema<"SessionPage">["scopes"][number];

const MEANING: Readonly<Record<Scope, string>> = {
  "bundles:write": "upload bundles",
  "challenges:write": "ask for challenges, state claims",
  "jobs:work": "run jobs on your nodes",
  "jobs:request": "order jobs",
  "nodes:write": "register and revoke your nodes",
  admin: "administer the service",
};

interface TokensProps {
  readonly csrf: string;
  /** What the account may do: no token may do more. */
  readonly scopes: readonly Scope[];
}

/** The account's tokens, and a form for one more. */
export function Tokens({ csrf, scopes }: TokensProps) {
  const [made, setMade] = useState(0);
  const [secret, setSecret] = useState<string>();
  const change = useChange();
  const tokens = useLoaded(`tokens ${made}`, signal =>
    get("/api/v1/tokens", { query: { limit: 100 } }, signal),
  );
  const make = (name: string, chosen: readonly Scope[], days: number) =>
    change.make("Token made", async () => {
      const body = { name, scopes: chosen, expires_in_days: days };
      const receipt = await send<Schema<"TokenReceipt">>("POST", "/api/v1/tokens", csrf, body);
      setSecret(receipt.token);
      setMade(number => number + 1);
    });
  const revoke = (id: string) =>
    change.make("Token revoked", async () => {
      await send("POST", `/api/v1/tokens/${id}/revoke`, csrf);
      setMade(number => number + 1);
    });
  return (
    <Section id="tokens" title="Tokens">
      <p>For programs: they send a token instead of your name, and can do no more than it was made for.</p>
      {change.problem}
      {secret !== undefined && <Told what="token" secret={secret} />}
      <TokenForm scopes={scopes} make={make} />
      <Await loaded={tokens} what="your tokens">
        {list =>
          list.items.length === 0 ? (
            <p>There is none yet.</p>
          ) : (
            <Table
              caption="Your tokens"
              rows={list.items}
              rowKey={token => token.id}
              columns={[
                { head: "name", cell: token => token.name },
                { head: "begins with", cell: token => <code>{token.prefix}</code> },
                {
                  head: "may",
                  wide: true,
                  cell: token => token.scopes.map(scope => MEANING[scope]).join(", "),
                },
                { head: "until", cell: token => utc(token.expires_at) },
                { head: "last used", cell: token => (token.used_at === null ? "never" : utc(token.used_at)) },
                { head: "state", cell: standing },
                {
                  head: "change",
                  cell: token =>
                    standing(token) === "works" && (
                      <button
                        type="button"
                        aria-label={`Revoke ${token.name}`}
                        onClick={() => revoke(token.id)}
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

interface TokenFormProps {
  readonly scopes: readonly Scope[];
  readonly make: (name: string, scopes: readonly Scope[], days: number) => void;
}

function TokenForm({ scopes, make }: TokenFormProps) {
  const [name, setName] = useState("");
  const [days, setDays] = useState("30");
  const [chosen, setChosen] = useState<readonly Scope[]>(["bundles:write"]);
  const toggle = (scope: Scope) =>
    setChosen(held => (held.includes(scope) ? held.filter(one => one !== scope) : [...held, scope]));
  return (
    <form
      class="filters"
      aria-label="Make a token"
      onSubmit={event => {
        event.preventDefault();
        make(name.trim(), chosen, Number(days));
      }}
    >
      <label class="field">
        name
        <input
          type="text"
          value={name}
          maxLength={100}
          onInput={event => setName(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        days
        <select value={days} onChange={event => setDays(event.currentTarget.value)}>
          {["1", "7", "30", "90"].map(number => (
            <option key={number}>{number}</option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>may</legend>
        {scopes.map(scope => (
          <label key={scope}>
            <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
            <span>{MEANING[scope]}</span>
          </label>
        ))}
      </fieldset>
      <button type="submit" class="primary" disabled={name.trim() === "" || chosen.length === 0}>
        Make a token
      </button>
    </form>
  );
}
