import { duration } from "./numbers";

/** A time as it is written everywhere here: in UTC, to the minute. */
export function utc(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** How long something has lasted, until it ended or until now: no answer of the API says it, for it never stands still. */
export function lasted(begin: string, end: string | null): string {
  const until = end === null ? Date.now() : Date.parse(end);
  return duration(Math.max(0, Math.round((until - Date.parse(begin)) / 1000)));
}
