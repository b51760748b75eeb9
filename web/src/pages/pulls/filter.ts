import { get } from "../../api/client";
import type { Outcome, PullRef, Schema } from "../../api/records";
import { OUTCOMES } from "../../format/words";

type List = Schema<"PullList">;
type Item = List["items"][number];

/** Which pull requests are wanted; an empty string: any. */
export interface Filter {
  readonly state: PullRef["state"] | "";
  readonly outcome: Outcome | "";
  readonly repository: string;
}

export const STATES: readonly PullRef["state"][] = ["open", "closed"];

/** The filter that an address holds; what it does not understand counts as any. */
export function readFilter(search: URLSearchParams): Filter {
  return {
    state: STATES.find(one => one === search.get("state")) ?? "",
    outcome: (Object.keys(OUTCOMES) as Outcome[]).find(one => one === search.get("outcome")) ?? "",
    repository: search.get("repository")?.trim() ?? "",
  };
}

/** Whether there is anything to filter by. */
export function isFiltering(filter: Filter): boolean {
  return filter.state !== "" || filter.outcome !== "" || filter.repository !== "";
}

/** Whether a pull request is wanted. Repository names do not distinguish upper and lower case, as on GitHub. */
export function matches({ pull, outcomes }: Item, filter: Filter): boolean {
  return (
    (filter.state === "" || pull.state === filter.state) &&
    (filter.outcome === "" || outcomes.some(({ outcome }) => outcome === filter.outcome)) &&
    (filter.repository === "" || pull.repository.toLowerCase() === filter.repository.toLowerCase())
  );
}

const PAGE = 100;
const ENOUGH = 30;
const MOST_REQUESTS = 5;

/** What a search came to: the pull requests found, and how many were looked at. */
export interface Found {
  readonly list: List;
  readonly searched: number;
}

/**
 * Goes through the list, as the API gives it page by page, until enough is found. The next cursor continues where
 * this search ended, so nothing is left out.
 */
export async function search(filter: Filter, cursor: string | null, signal: AbortSignal): Promise<Found> {
  if (!isFiltering(filter)) {
    const list = await get("/api/v1/pulls", { query: { cursor } }, signal);
    return { list, searched: list.items.length };
  }
  const items: Item[] = [];
  let searched = 0;
  let next = cursor;
  for (let request = 0; request < MOST_REQUESTS; request += 1) {
    const page = await get("/api/v1/pulls", { query: { cursor: next, limit: PAGE } }, signal);
    items.push(...page.items.filter(item => matches(item, filter)));
    searched += page.items.length;
    next = page.next_cursor;
    if (next === null || items.length >= ENOUGH) break;
  }
  return { list: { items, next_cursor: next }, searched };
}
