import { afterEach, expect, test, vi } from "vitest";
import { ApiError, get, urlOf } from "../../src/api/client";

afterEach(() => vi.unstubAllGlobals());

const signal = new AbortController().signal;

function answering(body: string, status: number): void {
  vi.stubGlobal("fetch", async () => new Response(body, { status }));
}

async function failure(): Promise<ApiError> {
  const error = await get("/api/v1/pulls", {}, signal).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`);
  return error;
}

test("parameters are put into an address escaped, and empty ones left out", () => {
  const path = { owner: "octo", name: "a/b?c", number: 7 };
  expect(urlOf("/api/v1/pulls/{owner}/{name}/{number}", { path })).toBe("/api/v1/pulls/octo/a%2Fb%3Fc/7");
  expect(urlOf("/api/v1/pulls", { query: { cursor: "x&y" } })).toBe("/api/v1/pulls?cursor=x%26y");
  expect(urlOf("/api/v1/pulls", { query: { cursor: null } })).toBe("/api/v1/pulls");
});

test("every text of an answer has its invisible characters made visible", async () => {
  answering('{"items": [{"title": "a\\u202eb"}], "next_cursor": null}', 200);
  expect(await get("/api/v1/pulls", {}, signal)).toEqual({
    items: [{ title: "a\ufffdb" }],
    next_cursor: null,
  });
});

test("a problem document becomes an error with its code and words", async () => {
  answering('{"code": "cursor_invalid", "title": "Not ours", "detail": "Take another.", "status": 400}', 400);
  const error = await failure();
  expect([error.status, error.code, error.title, error.detail]).toEqual([
    400,
    "cursor_invalid",
    "Not ours",
    "Take another.",
  ]);
});

test.each(["null", "[]", '"text"', '{"code": 5, "title": {}}'])(
  "a refusal that says %s is still an error",
  async body => {
    answering(body, 502);
    const error = await failure();
    expect([error.status, error.code, error.detail]).toEqual([502, "answer_unreadable", "Status 502."]);
  },
);

test("an answer that is not JSON is an error, also with status 200", async () => {
  answering("<html>proxy</html>", 200);
  expect((await failure()).code).toBe("answer_unreadable");
});

test("no answer is an error that says so", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("refused");
  });
  const error = await failure();
  expect([error.status, error.code]).toEqual([0, "no_answer"]);
});

test("an abort is not an error of the service", async () => {
  const controller = new AbortController();
  vi.stubGlobal("fetch", async () => {
    controller.abort();
    throw new DOMException("aborted", "AbortError");
  });
  await expect(get("/api/v1/pulls", {}, controller.signal)).rejects.toThrow(DOMException);
});
