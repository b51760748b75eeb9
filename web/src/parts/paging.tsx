import { Link, useLocation, useSearch } from "wouter-preact";

/** The way through a list that is paged by cursor. The address holds the cursor, so each page can be linked to. */
export function Paging({ next }: { readonly next: string | null }) {
  const [path] = useLocation();
  const search = useSearch();
  const onFirst = !new URLSearchParams(search).has("cursor");
  if (onFirst && next === null) return null;
  return (
    <nav class="paging" aria-label="Pages of this list">
      {!onFirst && <Link href={withCursor(path, search, null)}>First page</Link>}
      {next !== null && <Link href={withCursor(path, search, next)}>Next page</Link>}
    </nav>
  );
}

function withCursor(path: string, search: string, cursor: string | null): string {
  const query = new URLSearchParams(search);
  query.delete("cursor");
  if (cursor !== null) query.set("cursor", cursor);
  return query.size > 0 ? `${path}?${query}` : path;
}
