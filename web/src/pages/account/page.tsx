import { useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { send } from "../../api/client";
import type { Schema } from "../../api/records";
import { Await } from "../../parts/await";
import { Note } from "../../parts/note";
import { Page } from "../../parts/page";
import { useChange } from "./change";
import { Keys } from "./keys";
import { Nodes } from "./nodes";
import { Tokens } from "./tokens";

type Session = Schema<"SessionPage">;

const SIGN_IN = "/api/v1/sign-in?return_to=/account";
const PROBLEMS: Readonly<Record<string, string>> = {
  sign_in_denied: "GitHub did not confirm who you are, or you said no there.",
  sign_in_state_invalid: "The sign-in took too long, or was begun in another browser.",
  github_failed: "GitHub did not answer as it should.",
};

/** Who is signed in, and the credentials that they have made. */
export function AccountPage() {
  const session = useAnswer("/api/v1/session");
  const code = new URLSearchParams(location.search).get("problem");
  return (
    <Page title="Account">
      {code !== null && (
        <Note tone="bad">
          You are not signed in. {PROBLEMS[code] ?? "Something went wrong."} <a href={SIGN_IN}>Try again</a>
        </Note>
      )}
      <Await loaded={session} what="your account">
        {found => <Who session={found} />}
      </Await>
    </Page>
  );
}

function Who({ session }: { readonly session: Session }) {
  if (session.sign_in === null)
    return <p>Nobody can sign in here: the operator has configured no App for it.</p>;
  if (session.account === null || session.csrf_token === null) {
    return (
      <p>
        Reading needs no account. To make tokens and to register machines,{" "}
        <a href={SIGN_IN}>sign in with GitHub</a>; it is asked for your name and nothing else.
      </p>
    );
  }
  return <SignedIn account={session.account} csrf={session.csrf_token} scopes={session.scopes} />;
}

interface SignedInProps {
  readonly account: NonNullable<Session["account"]>;
  readonly csrf: string;
  readonly scopes: Session["scopes"];
}

function SignedIn({ account, csrf, scopes }: SignedInProps) {
  const [gone, setGone] = useState(false);
  const change = useChange();
  if (gone) {
    return (
      <p>
        You are signed out. <a href={SIGN_IN}>Sign in again</a>
      </p>
    );
  }
  const signOut = () =>
    change.make("Signed out", async () => {
      await send("DELETE", "/api/v1/session", csrf);
      setGone(true);
    });
  return (
    <>
      <p class="introduction">
        Signed in as <strong>{account.login}</strong>, {account.role}.{" "}
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </p>
      {change.problem}
      <Tokens csrf={csrf} scopes={scopes} />
      <Nodes csrf={csrf} />
      <Keys csrf={csrf} />
    </>
  );
}
