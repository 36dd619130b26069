import type { SecureContext } from "node:tls";
import type { Exchange } from "../record/exchange.ts";
import { mapEndpoint } from "./dial.ts";
import type { HostLedger } from "./host-ledger.ts";
import type { Endpoint, InterceptorCounts, InterceptorOptions } from "./interceptor.ts";
import type { Links } from "./links.ts";
import { isLocalAddress, isLocalName } from "./loopback.ts";
import type { OwnPorts } from "./own-ports.ts";
import { upstreamReason } from "./problem.ts";
import { Recorder } from "./recorder.ts";
import type { RunCredentials } from "./run-credentials.ts";
import type { TlsSessions } from "./tls.ts";
import type { Unopened } from "./unopened.ts";
import type { ViaProxy } from "./via.ts";

/** What every connection of one interceptor shares. */
export interface Engine {
  readonly options: InterceptorOptions;
  readonly counts: InterceptorCounts;
  readonly recorder: Recorder;
  /** For plain requests to hosts outside the scope, and to bypassed ones. */
  readonly passing: Recorder;
  readonly bypassed: Recorder;
  readonly hosts: HostLedger;
  /** Whose a connection is. */
  readonly runs: RunCredentials;
  readonly own: OwnPorts;
  readonly trust: SecureContext;
  /** Hosts that are not opened although they should be. */
  readonly unopened: Unopened;
  readonly via: ViaProxy | undefined;
  readonly sessions: TlsSessions;
  readonly contextFor: (name: string) => Promise<SecureContext>;
  readonly links: Links;
  /** Nothing may leave the machine. */
  readonly isOffline: boolean;
}

/** The three recorders: all is handed on, telemetry is, nothing is. */
export function createRecorders(
  options: InterceptorOptions,
  counts: InterceptorCounts,
  hosts: HostLedger,
): Pick<Engine, "recorder" | "passing" | "bypassed"> {
  const passedOn = (host: Endpoint): void => {
    counts.passed += 1;
    hosts.count("passed", host);
  };
  const { onUnread: _, ...ofAny } = options; // outside the scope nothing is promised
  const { onPassing } = ofAny;
  // Of a socket's messages, which may be anything an app talks about, only telemetry is recorded; all are counted.
  const onMessage = (exchange: Exchange): void => onPassing?.(exchange, () => undefined);
  const unread = { maxBodyBytes: 0, onExchange: passedOn };
  const passing =
    onPassing === undefined
      ? unread
      : {
          ...ofAny,
          onMessage,
          onExchange: (exchange: Exchange) => onPassing(exchange, () => passedOn(exchange)),
        };
  return {
    recorder: new Recorder({ ...options, onMessage }, counts),
    passing: new Recorder(passing, counts),
    bypassed: new Recorder(unread, counts),
  };
}

/** What the options decide about a host; a throw of theirs leaves it alone. */
export function decide({ options, recorder }: Engine, asked: Endpoint): ReturnType<InterceptorOptions["decide"]> {
  return recorder.guard(() => options.decide(asked)) ?? "tunnel";
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

/** True, and counted, when dialling would leave the machine although nothing may. */
export function isKeptIn(engine: Engine, asked: Endpoint, { host }: Endpoint): boolean {
  if (!engine.isOffline || isLocalAddress(host) || isLocalName(host)) return false;
  engine.counts.refused += 1;
  engine.counts.keptIn += 1;
  engine.hosts.count("keptIn", asked);
  return true;
}

/** One line for a person about why an upstream could not be had. */
export function upstreamProblem(host: string, error: unknown): string {
  return `${host}: ${upstreamReason(error)}`;
}
