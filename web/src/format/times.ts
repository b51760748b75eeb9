import { duration } from "./numbers";

/** A time as it is written everywhere here: in UTC, to the minute. */
export function utc(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** How long something has lasted, until it ended or until now: no answer of the API says it, for it never stands still. */
export function lasted(begin: string, end: string | null): string {
  const until = end === null ? Date.now() : Date.parse(end);
  const seconds = Math.max(0, Math.round((until - Date.parse(begin)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? duration(seconds) : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
