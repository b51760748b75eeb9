import { defineConfig } from "vitest/config";

// The service that `npm run dev` passes API requests on to.
const service = process.env.BYOGPU_PUBLIC_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    // The content security policy forbids inline scripts and data: fonts; every file stays a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": service } },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
});
