import { Link, useLocation } from "wouter-preact";
import { useAnswer } from "../api/answer";

/** The way to the account page, named after who is signed in; nothing where nobody can sign in. */
export function Who() {
  const session = useAnswer("/api/v1/session");
  const [path] = useLocation();
  if (session.state !== "ready" || session.value.sign_in === null) return null;
  return (
    <Link href="/account" class="who" aria-current={path === "/account" ? "page" : undefined}>
      {session.value.account?.login ?? "Sign in"}
    </Link>
  );
}
