import { useEffect, useState } from "preact/hooks";

type Listener = (text: string) => void;
const listeners = new Set<Listener>();

/** Says something to those who do not see the page change. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

/** The live region that `announce` speaks through. It stays on the page, since regions that come and go are not read. */
export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => {
    listeners.add(setText);
    return () => {
      listeners.delete(setText);
    };
  }, []);
  return (
    <p class="hidden" role="status" aria-live="polite">
      {text}
    </p>
  );
}
