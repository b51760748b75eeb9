import { useCallback, useEffect, useState } from "preact/hooks";
import { type Address, type Answer, ApiError, get, type Parameters, urlOf } from "./client";

/** Where a request stands. */
export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly error: ApiError; readonly retry: () => void };

const POLL_MS = 3000;

/**
 * Asks the service whenever the address or a parameter changes; an answer that is no longer wanted is dropped.
 *
 * @param whileTrue Ask again every few seconds as long as this holds of the answer. What is on the page stays there
 *   meanwhile, also while the service does not answer.
 */
export function useAnswer<P extends Address>(
  address: P,
  parameters: Parameters<P> = {},
  whileTrue?: (answer: Answer<P>) => boolean,
): Loaded<Answer<P>> {
  const url = urlOf(address, parameters);
  const [held, setHeld] = useState<{ url: string; loaded: Loaded<Answer<P>> }>();
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => {
    setHeld(undefined);
    setAttempt(number => number + 1);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `url` stands for address and parameters; `attempt` asks again
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again = false;
    const ask = async () => {
      try {
        const value = await get(address, parameters, controller.signal);
        setHeld({ url, loaded: { state: "ready", value } });
        again = whileTrue?.(value) ?? false;
      } catch (error) {
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        if (!again) setHeld({ url, loaded: { state: "failed", error, retry } });
      }
      if (again) timer = setTimeout(ask, POLL_MS);
    };
    void ask();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [url, attempt]);

  return held?.url === url ? held.loaded : { state: "loading" };
}
