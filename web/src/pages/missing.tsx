import { Link, useLocation } from "wouter-preact";
import { Page } from "../parts/page";

/** There is no such page. */
export function MissingPage() {
  const [path] = useLocation();
  return (
    <Page title="There is no such page">
      <p>
        Nothing is at <code>{path}</code>. Start from the <Link href="/pulls">pull requests</Link> or the{" "}
        <Link href="/bundles">bundles</Link>.
      </p>
    </Page>
  );
}
