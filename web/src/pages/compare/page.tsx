import { useSearchParams } from "wouter-preact";
import { Page } from "../../parts/page";
import { Picker } from "./picker";
import { Result } from "./result";

/** Two bundles side by side. The address holds both ids. */
export function ComparePage() {
  const [search] = useSearchParams();
  const a = search.get("a") ?? "";
  const b = search.get("b") ?? "";
  return (
    <Page title="Compare two bundles">
      <Picker key={`${a} ${b}`} a={a} b={b} />
      {a !== "" && b !== "" && <Result a={a} b={b} />}
    </Page>
  );
}
