import { expect, test } from "vitest";
import { short, visible } from "../../src/format/text";
import { utc } from "../../src/format/times";

test("terminal codes and marks that turn the direction of writing become visible", () => {
  expect(visible("safe\u202egnp.exe")).toBe("safe\ufffdgnp.exe");
  expect(visible("\u001b[31mred\u0007")).toBe("\ufffd[31mred\ufffd");
  expect(visible("zero\u200bwidth\ufeff")).toBe("zero\ufffdwidth\ufffd");
});

test("ordinary text in any script stays as it is", () => {
  const text = "größer\tthan 日本語 עברית 👩‍🔬\n<b>&amp;";
  expect(visible(text)).toBe(text);
});

test("digests are cut for reading", () => {
  expect(short("0123456789abcdef")).toBe("0123456789");
  expect(short("0123456789abcdef", 4)).toBe("0123");
});

test("times are in UTC to the minute; what is no time is shown as it is", () => {
  expect(utc("2026-01-01T12:34:56.789+02:00")).toBe("2026-01-01 10:34 UTC");
  expect(utc("someday")).toBe("someday");
});
