import type { SecureContext } from "node:tls";
import { mapEndpoint } from "./dial.ts";
import type { Endpoint, InterceptorCounts, InterceptorOptions } from "./interceptor.ts";
import type { Links } from "./links.ts";
import type { OwnPorts } from "./own-ports.ts";
import type { Recorder } from "./recorder.ts";

/** What every connection of one interceptor shares. */
export interface Engine {
  readonly options: InterceptorOptions;
  readonly counts: InterceptorCounts;
  readonly recorder: Recorder;
  readonly own: OwnPorts;
  readonly trust: SecureContext;
  readonly contextFor: (name: string) => Promise<SecureContext>;
  readonly links: Links;
}

/** Where to dial for an endpoint, or "refused" when that is one of our own ports (counted). */
export async function route(engine: Engine, asked: Endpoint): Promise<Endpoint | "refused"> {
  const endpoint = mapEndpoint(engine.options.map, asked);
  if ((await engine.own.includes(asked)) || (await engine.own.includes(endpoint))) {
    engine.counts.refused += 1;
    return "refused";
  }
  return endpoint;
}

/** One line for a person about why an upstream could not be had. */
export function upstreamProblem(host: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : PROBLEMS[code];
  // Errors of several attempts at once come with an empty message.
  return `${host}: ${known ?? (message === "" || message === undefined ? (code ?? "unknown error") : message)}`;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name could not be looked up",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by the server",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
};
