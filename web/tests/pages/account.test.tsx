import { expect, test, vi } from "vitest";
import { App } from "../../src/app";
import { CATALOGUES } from "../records";
import { click, found, rendered, until, words } from "../rendered";

const EMPTY = { items: [], next_cursor: null };
const TOKEN = {
  id: "21fe31dfa154",
  prefix: "byo_t_21fe31dfa154",
  name: "desk",
  scopes: ["bundles:write"],
  node_key_id: null,
  created_at: "2026-03-14T09:26:53Z",
  expires_at: "2999-03-14T09:26:53Z",
  used_at: null,
  revoked_at: null,
};
const NODE = {
  key_id: "ab".repeat(32),
  public_key: "cd".repeat(32),
  owner: "octocat",
  project: false,
  registered_at: "2026-03-14T09:26:53Z",
  revoked_at: null,
};
const SESSION = {
  kind: "account",
  account: { id: 1, login: "octocat", role: "contributor" },
  scopes: ["bundles:write", "nodes:write"],
  csrf_token: "word",
  sign_in: "/api/v1/sign-in",
};
const NOBODY = { ...SESSION, kind: "anonymous", account: null, scopes: [], csrf_token: null };

interface Sent {
  readonly what: string;
  readonly csrf: string | null;
  readonly body: unknown;
}

/** A service that answers by method and address, and notes what was sent. */
function serve(answers: Readonly<Record<string, unknown>>): Sent[] {
  const sent: Sent[] = [];
  const all: Readonly<Record<string, unknown>> = { ...CATALOGUES, ...answers };
  vi.stubGlobal("fetch", async (url: string, { method = "GET", headers, body }: RequestInit) => {
    const known = new Headers(headers);
    if (method !== "GET") {
      const parsed: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
      sent.push({ what: `${method} ${url}`, csrf: known.get("X-CSRF-Token"), body: parsed });
    }
    const key = method === "GET" ? url : `${method} ${url}`;
    if (method === "DELETE") return new Response(null, { status: 204 });
    const answer = all[key];
    if (answer === undefined) {
      const problem = { title: "Refused", detail: "It was refused.", code: "scope_missing", status: 403 };
      return new Response(JSON.stringify(problem), { status: 403 });
    }
    return new Response(JSON.stringify(answer), { status: 200 });
  });
  return sent;
}

const LISTS = {
  "/api/v1/tokens?limit=100": { items: [TOKEN], next_cursor: null },
  "/api/v1/account/nodes?limit=100": { items: [NODE], next_cursor: null },
  "/api/v1/pull-keys?limit=100": EMPTY,
};

async function open(
  answers: Readonly<Record<string, unknown>>,
  path = "/account",
): Promise<[HTMLElement, Sent[]]> {
  const sent = serve(answers);
  history.replaceState(null, "", path);
  const box = rendered(<App />);
  await until(() => box.querySelector(".loading") === null);
  return [box, sent];
}

function button(box: ParentNode, name: string): Element | null {
  return (
    [...box.querySelectorAll("button")].find(
      one => (one.getAttribute("aria-label") ?? words(one)) === name,
    ) ?? null
  );
}

test("where nobody can sign in the frame offers no way to do it", async () => {
  const [box] = await open({ "/api/v1/session": { ...NOBODY, sign_in: null } });
  expect(box.querySelector(".who")).toBeNull();
  expect(words(found(box, "main"))).toContain("Nobody can sign in here");
});

test("who is not signed in is offered to sign in", async () => {
  const [box] = await open({ "/api/v1/session": NOBODY });
  expect(words(found(box, ".who"))).toBe("Sign in");
  expect(found<HTMLAnchorElement>(box, "main a").getAttribute("href")).toBe(
    "/api/v1/sign-in?return_to=/account",
  );
});

test("why a sign-in failed is said", async () => {
  const [box] = await open({ "/api/v1/session": NOBODY }, "/account?problem=sign_in_denied");
  expect(words(found(box, "main"))).toContain("GitHub did not confirm who you are");
});

test("a token is made with what was chosen, and told once", async () => {
  const receipt = { ...TOKEN, token: "byo_t_21fe31dfa154_secret" };
  const [box, sent] = await open({ ...LISTS, "/api/v1/session": SESSION, "POST /api/v1/tokens": receipt });
  expect(words(found(box, ".who"))).toBe("octocat");
  const form = found<HTMLFormElement>(box, 'form[aria-label="Make a token"]');
  const name = found<HTMLInputElement>(form, 'input[type="text"]');
  expect(found<HTMLButtonElement>(form, "button").disabled).toBe(true);
  name.value = "laptop";
  name.dispatchEvent(new Event("input", { bubbles: true }));
  await until(() => !found<HTMLButtonElement>(form, "button").disabled);
  await click(found(form, 'input[type="checkbox"]:not(:checked)'));
  await click(found(form, "button"));
  await until(() => words(box).includes("byo_t_21fe31dfa154_secret"));
  const body = { name: "laptop", scopes: ["bundles:write", "nodes:write"], expires_in_days: 30 };
  expect(sent).toEqual([{ what: "POST /api/v1/tokens", csrf: "word", body }]);
});

test("tokens and nodes are revoked", async () => {
  const revoked = { ...TOKEN, revoked_at: "2026-03-15T09:26:53Z" };
  const [box, sent] = await open({
    ...LISTS,
    "/api/v1/session": SESSION,
    [`POST /api/v1/tokens/${TOKEN.id}/revoke`]: revoked,
    [`POST /api/v1/nodes/${NODE.key_id}/revoke`]: NODE,
  });
  await click(button(box, "Revoke desk"));
  await click(button(box, `Revoke ${NODE.key_id.slice(0, 16)}`));
  await until(() => sent.length === 2);
  expect(sent.map(one => one.what)).toEqual([
    `POST /api/v1/tokens/${TOKEN.id}/revoke`,
    `POST /api/v1/nodes/${NODE.key_id}/revoke`,
  ]);
});

test("a key is issued for a pull request that is named in full, and a refusal is shown", async () => {
  const [box, sent] = await open({ ...LISTS, "/api/v1/session": SESSION });
  const form = found<HTMLFormElement>(box, 'form[aria-label="Issue a key"]');
  const input = found<HTMLInputElement>(form, "input");
  input.value = "octo/kernels";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  expect(found<HTMLButtonElement>(form, "button").disabled).toBe(true);
  input.value = "octo/kernels#7";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await until(() => !found<HTMLButtonElement>(form, "button").disabled);
  await click(found(form, "button"));
  await until(() => box.querySelector('[role="alert"]') !== null);
  expect(words(found(box, '[role="alert"]'))).toContain("It was refused.");
  expect(sent.map(one => one.what)).toEqual(["POST /api/v1/pulls/octo/kernels/7/keys"]);
});

test("signing out is said", async () => {
  const [box, sent] = await open({ ...LISTS, "/api/v1/session": SESSION });
  await click(button(box, "Sign out"));
  await until(() => words(found(box, "main")).includes("You are signed out"));
  expect(sent).toEqual([{ what: "DELETE /api/v1/session", csrf: "word", body: undefined }]);
});
