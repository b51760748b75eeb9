import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useAnswer } from "../../src/api/answer";
import { Await } from "../../src/parts/await";
import { click, found, rendered, serve, until, words } from "../rendered";

interface PullsProps {
  readonly cursor: string;
  readonly again?: () => boolean;
}

function Pulls({ cursor, again }: PullsProps) {
  const loaded = useAnswer("/api/v1/pulls", { query: { cursor } }, again);
  return (
    <Await loaded={loaded} what="pull requests">
      {list => <p>{list.next_cursor}</p>}
    </Await>
  );
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
});
afterEach(() => {
  vi.useRealTimers();
});

test("shows the answer once it is here", async () => {
  serve({ "/api/v1/pulls?cursor=a": { items: [], next_cursor: "first" } });
  const box = rendered(<Pulls cursor="a" />);
  expect(words(box)).toBe("");
  await until(() => words(box) === "first");
});

test("a failure says what is wrong and can be tried again", async () => {
  serve({ "/api/v1/pulls?cursor=a": 404 });
  const box = rendered(<Pulls cursor="a" />);
  await until(() => box.querySelector("[role=alert]") !== null);
  expect(words(found(box, "h2"))).toBe("No such thing");
  expect(words(box)).toContain("It is not here.");
  expect(words(box)).toContain("code not_found, status 404");
  serve({ "/api/v1/pulls?cursor=a": { items: [], next_cursor: "mended" } });
  await click(found(box, "button"));
  await until(() => words(box) === "mended");
});

test("an answer that is no longer wanted is dropped", async () => {
  serve({
    "/api/v1/pulls?cursor=a": { items: [], next_cursor: "old" },
    "/api/v1/pulls?cursor=b": { items: [], next_cursor: "new" },
  });
  const seen: string[] = [];
  const box = rendered(<Pulls cursor="a" />);
  act(() => render(<Pulls cursor="b" />, box));
  await until(() => {
    seen.push(words(box));
    return words(box) === "new";
  });
  expect(seen).not.toContain("old");
});

async function passed(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
}

test("asks again as long as it is told to and no longer, and outlasts a failure", async () => {
  const asked = serve({ "/api/v1/pulls?cursor=a": { items: [], next_cursor: "x" } });
  let more = true;
  const box = rendered(<Pulls cursor="a" again={() => more} />);
  await until(() => asked.length === 1);
  await passed(3000);
  expect(asked.length).toBe(2);
  serve({});
  await passed(3000);
  expect(words(box)).toBe("x");
  const later = serve({ "/api/v1/pulls?cursor=a": { items: [], next_cursor: "y" } });
  more = false;
  await passed(3000);
  expect(words(box)).toBe("y");
  await passed(30_000);
  expect(later.length).toBe(1);
});
