import { expect, test } from "vitest";
import { bundlePath, comparePath, download, outside, pullPath, rulePath } from "../src/links";

test("pages of the dashboard", () => {
  expect(pullPath("octo/kernels.cu", 7)).toBe("/pulls/octo/kernels.cu/7");
  expect(bundlePath("ab12")).toBe("/bundles/ab12");
  expect(rulePath("P-001")).toBe("/rules#P-001");
  expect(comparePath(undefined)).toBe("/compare");
  expect(comparePath("ab", "cd")).toBe("/compare?a=ab&b=cd");
  expect(comparePath(undefined, "cd")).toBe("/compare?b=cd");
});

test("what is put into an address cannot leave its place", () => {
  expect(bundlePath("../pulls?x=1#y")).toBe("/bundles/..%2Fpulls%3Fx%3D1%23y");
  expect(comparePath("a&b=z")).toBe("/compare?a=a%26b%3Dz");
});

test.each(["https://github.example/octo/kernels/runs/1", "http://127.0.0.1:8000/x"])(
  "%s may be followed",
  url => {
    expect(outside(url)).toBe(url);
  },
);

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "/pulls",
  "//evil.example/",
  "",
])("%s may not be followed", url => {
  expect(outside(url)).toBeNull();
});

test("files come from the service, or from an absolute address", () => {
  expect(download("/api/v1/blobs/ab")).toBe("/api/v1/blobs/ab");
  expect(download("https://store.example/ab?signature=x")).toBe("https://store.example/ab?signature=x");
  expect(download("//evil.example/ab")).toBeNull();
  expect(download("javascript:alert(1)")).toBeNull();
});
