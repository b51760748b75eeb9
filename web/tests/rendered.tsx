import { type ComponentChildren, render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, vi } from "vitest";

const boxes: HTMLElement[] = [];

// jsdom has no layout to scroll.
window.scrollTo = () => undefined;

/** Takes everything off the page. */
export function cleared(): void {
  for (const box of boxes.splice(0)) {
    act(() => render(null, box));
    box.remove();
  }
}

afterEach(() => {
  cleared();
  vi.unstubAllGlobals();
  history.replaceState(null, "", "/");
});

/** Puts something on the page and returns the box around it. */
export function rendered(children: ComponentChildren): HTMLElement {
  const box = document.createElement("div");
  document.body.append(box);
  boxes.push(box);
  act(() => render(children, box));
  return box;
}

/** Clicks, and lets what follows from it happen. */
export async function click(element: Element | null): Promise<void> {
  if (!(element instanceof HTMLElement)) throw new Error("there is nothing to click");
  await act(async () => element.click());
}

/** An element that must be there. */
export function found<E extends Element = HTMLElement>(box: ParentNode, selector: string): E {
  const element = box.querySelector<E>(selector);
  if (element === null) throw new Error(`nothing matches ${selector}`);
  return element;
}

/** What is written on an element, in one line. */
export function words(element: Element): string {
  return (element.textContent ?? "").replace(/\s+/g, " ").trim();
}

/** A service that answers each path as told: an object with 200, a number with a problem of that status. */
export function serve(answers: Readonly<Record<string, unknown>>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string, { signal }: { signal: AbortSignal }) => {
    asked.push(url);
    await Promise.resolve();
    if (signal.aborted) throw new DOMException("aborted", "AbortError");
    const answer = answers[url];
    if (answer === undefined) throw new TypeError("network down");
    if (typeof answer === "object") return new Response(JSON.stringify(answer), { status: 200 });
    const problem = { title: "No such thing", detail: "It is not here.", code: "not_found", status: answer };
    return new Response(JSON.stringify(problem), { status: Number(answer) });
  });
  return asked;
}

/** Waits until something holds of the page. */
export async function until(holds: () => boolean): Promise<void> {
  await vi.waitFor(async () => {
    await act(async () => {
      await Promise.resolve();
    });
    if (!holds()) throw new Error("not yet");
  });
}
