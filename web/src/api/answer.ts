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
  return useLoaded(urlOf(address, parameters), signal => get(address, parameters, signal), whileTrue);
}

/**
 * Loads what a key names whenever the key changes; see `useAnswer`.
 *
 * @param key Everything that `load` depends on.
 */
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  whileTrue?: (value: T) => boolean,
): Loaded<T> {
  const [held, setHeld] = useState<{ key: string; loaded: Loaded<T> }>();
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => {
    setHeld(undefined);
    setAttempt(number => number + 1);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for `load`; `attempt` asks again
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again = false;
    const ask = async () => {
      try {
        const value = await load(controller.signal);
        if (controller.signal.aborted) return;
        setHeld({ key, loaded: { state: "ready", value } });
        again = whileTrue?.(value) ?? false;
      } catch (error) {
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        if (!again) setHeld({ key, loaded: { state: "failed", error, retry } });
      }
      if (again) timer = setTimeout(ask, POLL_MS);
    };
    void ask();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [key, attempt]);

  return held?.key === key ? held.loaded : { state: "loading" };
}
