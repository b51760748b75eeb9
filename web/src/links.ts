/** The page of a pull request. */
export function pullPath(repository: string, number: number): string {
  const [owner = "", name = ""] = repository.split("/");
  return `/pulls/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/${number}`;
}

/** The page of a bundle. */
export function bundlePath(id: string): string {
  return `/bundles/${encodeURIComponent(id)}`;
}

/** The page of a job. */
export function jobPath(id: string): string {
  return `/queue/${encodeURIComponent(id)}`;
}

/** The page that holds two bundles side by side; either may be left open. */
export function comparePath(a: string | undefined, b?: string): string {
  const query = new URLSearchParams();
  if (a !== undefined) query.set("a", a);
  if (b !== undefined) query.set("b", b);
  return query.size > 0 ? `/compare?${query}` : "/compare";
}

/** Where the explanation of a rule stands. */
export function rulePath(id: string): string {
  return `/rules#${encodeURIComponent(id)}`;
}

/** An address of another site that may be linked to: absolute, and http or https. Anything else is null. */
export function outside(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : null;
}

/** An address that a file may be downloaded from: the service's own API, or an absolute one. Anything else is null. */
export function download(url: string): string | null {
  return url.startsWith("/api/v1/") ? url : outside(url);
}
