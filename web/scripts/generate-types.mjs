// Writes src/api/schema.ts from docs/openapi.json; with --check only says whether it would change.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../../docs/openapi.json", import.meta.url);
const target = new URL("../src/api/schema.ts", import.meta.url);

const header = "// Generated from docs/openapi.json by `npm run types`. Do not edit.\n\n";
const wanted = header + astToString(await openapiTS(source, { alphabetize: true, immutable: true }));

if (!process.argv.includes("--check")) {
  await writeFile(target, wanted);
} else if ((await readFile(target, "utf8").catch(() => "")) !== wanted) {
  console.error("src/api/schema.ts does not match docs/openapi.json: run `npm run types` in web/");
  process.exitCode = 1;
}
