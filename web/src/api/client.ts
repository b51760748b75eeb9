import { visible } from "../format/text";
import type { paths } from "./schema";

/** Addresses that answer GET with JSON. */
export type Address = {
  [P in keyof paths]: paths[P] extends {
    get: { responses: { 200: { content: { "application/json": unknown } } } };
  }
    ? P
    : never;
}[keyof paths];

type Operation<P extends Address> = paths[P] extends { get: infer Get } ? Get : never;

/** What an address answers. */
export type Answer<P extends Address> =
  Operation<P> extends { responses: { 200: { content: { "application/json": infer Body } } } } ? Body : never;

type Part<P extends Address, Name extends "path" | "query"> =
  Operation<P> extends { parameters: infer All }
    ? Name extends keyof All
      ? NonNullable<All[Name]>
      : Record<string, never>
    : Record<string, never>;

/** The parameters of an address: those in its path, and those after the question mark. */
export interface Parameters<P extends Address> {
  readonly path?: Part<P, "path">;
  readonly query?: Part<P, "query">;
}

/** A request that did not give the answer: the service's own problem document, or what stood in the way. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  /**
   * @param status HTTP status; 0 when there was no answer.
   * @param code The service's stable code; `no_answer` and `answer_unreadable` are the browser's own.
   * @param title What kind of problem it is.
   * @param detail What is wrong this time.
   */
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
  }
}

/** The URL of an address with its parameters filled in; empty and absent query parameters are left out. */
export function urlOf<P extends Address>(address: P, parameters: Parameters<P> = {}): string {
  const values: Readonly<Record<string, unknown>> = parameters.path ?? {};
  const path = address.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters.query ?? {})) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/**
 * Asks the service.
 *
 * @throws {ApiError} for every answer but the wanted one, and for none; an abort passes through.
 */
export async function get<P extends Address>(
  address: P,
  parameters: Parameters<P>,
  signal: AbortSignal,
): Promise<Answer<P>> {
  let response: Response;
  try {
    response = await fetch(urlOf(address, parameters), { signal, headers: { Accept: "application/json" } });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError(0, "no_answer", "The service did not answer", "It may be down, or the network is.");
  }
  const body = await readJson(response, signal);
  if (response.ok) return body as Answer<P>;
  throw problem(response.status, body);
}

/**
 * Has the service change something for whoever is signed in.
 *
 * @param url Address, its parameters filled in.
 * @param csrf The session's word, which shows that a page of ours asks.
 * @returns The answer; undefined if it has no body.
 * @throws {ApiError} for every refusal, and for no answer.
 */
export async function send<T>(
  method: "POST" | "DELETE",
  url: string,
  csrf: string,
  body?: object,
): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json", "X-CSRF-Token": csrf };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const { signal } = new AbortController();
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  let response: Response;
  try {
    response = await fetch(url, { method, headers, signal, ...sent });
  } catch {
    throw new ApiError(0, "no_answer", "The service did not answer", "It may be down, or the network is.");
  }
  if (response.status === 204) return undefined as T;
  const answer = await readJson(response, signal);
  if (response.ok) return answer as T;
  throw problem(response.status, answer);
}

async function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return JSON.parse(await response.text(), (_, value) =>
      typeof value === "string" ? visible(value) : value,
    );
  } catch (error) {
    if (signal.aborted) throw error;
    const detail = `Status ${response.status}, and a body that is not JSON. A proxy may have answered in its place.`;
    throw new ApiError(response.status, "answer_unreadable", "The answer cannot be read", detail);
  }
}

function problem(status: number, body: unknown): ApiError {
  const members: Readonly<Record<string, unknown>> =
    typeof body === "object" && body !== null ? { ...body } : {};
  const text = (name: string, otherwise: string) => {
    const value = members[name];
    return typeof value === "string" && value !== "" ? value : otherwise;
  };
  return new ApiError(
    status,
    text("code", "answer_unreadable"),
    text("title", "The service refused the request"),
    text("detail", `Status ${status}.`),
  );
}
