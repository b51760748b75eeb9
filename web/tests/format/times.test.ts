import { expect, test } from "vitest";
import { lasted, utc } from "../../src/format/times";

test("a time is shown in UTC, and what is none as it is", () => {
  expect(utc("2026-03-14T10:26:53+01:00")).toBe("2026-03-14 09:26 UTC");
  expect(utc("soon")).toBe("soon");
});

test("what has ended lasted until then, and what has not lasts until now", () => {
  expect(lasted("2026-03-14T09:26:53Z", "2026-03-14T10:33:33Z")).toBe("1 h 6 min");
  expect(lasted("2026-03-14T09:26:53Z", "2026-03-14T09:27:01Z")).toBe("8 s");
  expect(lasted("2026-03-14T09:26:53Z", "2026-03-16T08:26:53Z")).toBe("47 h 0 min");
  expect(lasted("2026-03-14T09:26:53Z", "2026-03-21T11:30:00Z")).toBe("7 d 2 h");
  expect(lasted(new Date(Date.now() - 125_000).toISOString(), null)).toMatch(/^2 min [45678] s$/);
  expect(lasted(new Date(Date.now() + 60_000).toISOString(), null)).toBe("0 s");
});
