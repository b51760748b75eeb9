import { describe, expect, test } from "vitest";
import {
  bytes,
  count,
  counted,
  duration,
  estimated,
  interval,
  measured,
  offUnity,
  probability,
  share,
} from "../../src/format/numbers";

test("whole numbers have their thousands grouped", () => {
  expect(count(1234567)).toBe("1,234,567");
  expect(counted(1, "bundle")).toBe("1 bundle");
  expect(counted(0, "bundle")).toBe("0 bundles");
  expect(counted(2, "child", "children")).toBe("2 children");
});

test.each([
  [null, "–"],
  [0, "0"],
  [325.7249, "325.7"],
  [1999.6, "2,000"],
  [12345678.9, "12,345,679"],
  [5.68, "5.680"],
  [0.75, "0.7500"],
  [0.001, "0.001000"],
  [0.00012345, "1.23e−4"],
  [-3.5, "−3.500"],
])("a measured value %s is shown as %s", (value, shown) => {
  expect(measured(value)).toBe(shown);
});

describe("estimates", () => {
  test("a ratio says how many times the baseline", () => {
    expect(estimated(1.6018, "ratio")).toBe("1.602×");
    expect(interval(1.5966, 1.6054, "ratio")).toBe("1.597 to 1.605");
  });

  test("a difference is in points, with its sign", () => {
    expect(estimated(0.0125, "difference")).toBe("+1.25 points");
    expect(estimated(-0.0125, "difference")).toBe("−1.25 points");
    expect(interval(-0.0815, 0.0815, "difference")).toBe("−8.15 to +8.15");
  });
});

test("a share is rounded down: almost all is not all", () => {
  expect(share(0.9996)).toBe("99.9 %");
  expect(share(1)).toBe("100.0 %");
});

test("a distance from 1 is rounded up: almost nothing is not nothing", () => {
  expect(offUnity(1.0121)).toBe("1.3 %");
  expect(offUnity(0.98)).toBe("2.0 %");
  expect(offUnity(1)).toBe("0.0 %");
});

test.each([
  [0.00001, "< 0.0001"],
  [0.0008, "0.0008"],
  [0.0499, "0.050"],
  [1, "1.000"],
])("probability %s is shown as %s", (value, shown) => {
  expect(probability(value)).toBe(shown);
});

test.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1536, "1.50 KiB"],
  [150_754_820_096, "140.4 GiB"],
  [2 ** 60, "1048576.0 TiB"],
])("%s bytes are shown as %s", (value, shown) => {
  expect(bytes(value)).toBe(shown);
});

test.each([
  [0.25, "0.2500 s"],
  [59.9, "59.90 s"],
  [119.6, "2 min 0 s"],
  [3725, "1 h 2 min"],
])("%s seconds are shown as %s", (value, shown) => {
  expect(duration(value)).toBe(shown);
});
