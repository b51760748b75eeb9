import { Link, Route, Switch, useLocation } from "wouter-preact";
import { AccountPage } from "./pages/account/page";
import { BundlePage } from "./pages/bundle/page";
import { BundlesPage } from "./pages/bundles";
import { ComparePage } from "./pages/compare/page";
import { MissingPage } from "./pages/missing";
import { NodesPage } from "./pages/nodes";
import { PullPage } from "./pages/pull/page";
import { PullsPage } from "./pages/pulls/page";
import { JobPage } from "./pages/queue/job";
import { QueuePage } from "./pages/queue/page";
import { RulesPage } from "./pages/rules";
import { StatusPage } from "./pages/status";
import { SuitesPage } from "./pages/suites";
import { Announcer } from "./parts/announce";
import { MetricsProvider } from "./parts/metrics";
import { Who } from "./parts/who";

/** The dashboard: its frame, and the page that the address names. */
export function App() {
  return (
    <MetricsProvider>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="frame">
        <Link href="/" class="brand">
          byogpu
        </Link>
        <nav aria-label="Main">
          <NavLink href="/pulls">Pulls</NavLink>
          <NavLink href="/bundles">Bundles</NavLink>
          <NavLink href="/compare">Compare</NavLink>
          <NavLink href="/queue">Queue</NavLink>
          <NavLink href="/nodes">Nodes</NavLink>
          <NavLink href="/rules">Rules</NavLink>
          <NavLink href="/suites">Suites</NavLink>
          <Who />
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <Pages />
      </main>
      <footer class="frame">
        Every number comes from the service, which recomputed it from raw samples. The same as JSON:{" "}
        <a href="/api/v1/openapi.json">API</a>. <Link href="/status">Status</Link>
      </footer>
      <Announcer />
    </MetricsProvider>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <PullsPage introduced />
      </Route>
      <Route path="/pulls">
        <PullsPage />
      </Route>
      <Route path="/pulls/:owner/:name/:number">
        {({ owner, name, number }) => (
          <PullPage key={`${owner}/${name}/${number}`} owner={owner} name={name} number={number} />
        )}
      </Route>
      <Route path="/bundles">
        <BundlesPage />
      </Route>
      <Route path="/bundles/:id">{({ id }) => <BundlePage key={id} id={id} />}</Route>
      <Route path="/compare">
        <ComparePage />
      </Route>
      <Route path="/queue">
        <QueuePage />
      </Route>
      <Route path="/queue/:id">{({ id }) => <JobPage key={id} id={id} />}</Route>
      <Route path="/nodes">
        <NodesPage />
      </Route>
      <Route path="/rules">
        <RulesPage />
      </Route>
      <Route path="/suites">
        <SuitesPage />
      </Route>
      <Route path="/account">
        <AccountPage />
      </Route>
      <Route path="/status">
        <StatusPage />
      </Route>
      <Route>
        <MissingPage />
      </Route>
    </Switch>
  );
}

function NavLink({ href, children }: { readonly href: string; readonly children: string }) {
  const [path] = useLocation();
  const here = path === href || path.startsWith(`${href}/`);
  return (
    <Link href={href} aria-current={here ? "page" : undefined}>
      {children}
    </Link>
  );
}
