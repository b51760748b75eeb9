import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../../api/client";
import { announce } from "../../parts/announce";
import { Note } from "../../parts/note";

/** Making changes, one at a time, and saying what became of them. */
export interface Change {
  /** Makes one; `done` is what is said aloud once it is made. */
  readonly make: (done: string, change: () => Promise<void>) => void;
  /** Why the last one was not made. */
  readonly problem: ComponentChildren;
}

/** Begins with no change made. */
export function useChange(): Change {
  const [error, setError] = useState<ApiError>();
  const make = async (done: string, change: () => Promise<void>) => {
    setError(undefined);
    try {
      await change();
      announce(done);
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
    }
  };
  const problem =
    error === undefined ? null : (
      <div role="alert">
        <Note tone="bad">
          {error.title}. {error.detail}
        </Note>
      </div>
    );
  return { make: (done, change) => void make(done, change), problem };
}

interface ToldProps {
  /** What it is, as in "token". */
  readonly what: string;
  readonly secret: string;
}

/** A credential that is told once. */
export function Told({ what, secret }: ToldProps): JSX.Element {
  return (
    <div role="status">
      <Note tone="good">
        Copy the {what} now, it is not shown again: <code class="digest">{secret}</code>
      </Note>
    </div>
  );
}

/** Whether a credential still works, in a word. */
export function standing(one: { readonly revoked_at: string | null; readonly expires_at: string }): string {
  if (one.revoked_at !== null) return "revoked";
  return Date.parse(one.expires_at) <= Date.now() ? "expired" : "works";
}
