import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Loaded } from "../api/answer";
import type { ApiError } from "../api/client";
import { announce } from "./announce";

interface AwaitProps<T> {
  readonly loaded: Loaded<T>;
  /** What is asked for, as in "the pull request". */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows an answer once it is here; until then that it is on its way, or why it is not and what to do. */
export function Await<T>({ loaded, what, children }: AwaitProps<T>) {
  useEffect(() => {
    if (loaded.state === "loading") announce(`Loading ${what}`);
    if (loaded.state === "ready") announce(`Loaded ${what}`);
  }, [loaded.state, what]);
  switch (loaded.state) {
    case "loading":
      return <Loading what={what} />;
    case "failed":
      return <Problem error={loaded.error} retry={loaded.retry} />;
    case "ready":
      return <>{children(loaded.value)}</>;
  }
}

const PATIENCE_MS = 150;

function Loading({ what }: { readonly what: string }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return <div class="loading">{slow ? `Loading ${what} …` : ""}</div>;
}

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  pull_not_found:
    "The service learns of a pull request from GitHub's webhook, or from POST /api/v1/pulls/{owner}/{name}/{number}/sync.",
  bundle_not_found:
    "A bundle's id is the SHA-256 of its manifest: 64 hexadecimal digits. Look it up among the bundles.",
  job_not_found: "A job's id begins with j-. Look it up in the queue.",
  bundle_not_validated: "Its own page says how far validation has come.",
  bundle_quarantined: "Its own page says why.",
  parameter_invalid: "Part of the address is not what it should be; a digest may have been cut off.",
  cursor_invalid: "Go back to the first page of the list.",
  no_answer: "Check that the service runs, then try again.",
};

/** Why there is no answer: the problem's own words, its code, and what to do. */
export function Problem({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  const advice = WHAT_TO_DO[error.code];
  return (
    <div class="problem" role="alert">
      <h2>{error.title}</h2>
      <p>{error.detail}</p>
      {advice !== undefined && <p>{advice}</p>}
      <p>
        <button type="button" onClick={retry}>
          Try again
        </button>
        <span class="quiet">
          {" "}
          code <code>{error.code}</code>
          {error.status > 0 && <>, status {error.status}</>}
        </span>
      </p>
    </div>
  );
}
