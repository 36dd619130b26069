import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { formatEndpoint } from "../proxy/intercept/authority.ts";
import type { Interceptor, InterceptorOptions } from "../proxy/intercept/interceptor.ts";
import { type Exchange, headerOf } from "../proxy/record/exchange.ts";
import { isObject, type JsonObject } from "../proxy/record/json.ts";
import type { SessionCounts } from "../proxy/session.ts";

/** Hosts kept apart; a program that asks for more is no app to be looked at. */
const MAX_HOSTS = 2000;

/** What was seen of one host. */
export interface HostSeen {
  /** `host:port` as asked for. */
  readonly endpoint: string;
  readonly host: string;
  /** Requests that were read. */
  readonly requests: number;
  /** TLS was opened for some of them. */
  readonly isDecrypted: boolean;
  readonly events: number;
  readonly undecoded: number;
  readonly formats: readonly string[];
  readonly bypassed: number;
  /** Passed on unseen. */
  readonly unseen: number;
  readonly clientErrors: number;
  readonly upstreamErrors: number;
  readonly problem?: string;
  /** Of its clients, as they call themselves. */
  readonly agents: readonly string[];
}

type StartInterceptor = (options: InterceptorOptions) => Promise<Interceptor>;

interface Row {
  requests: number;
  isDecrypted: boolean;
  readonly host: string;
  readonly agents: Set<string>;
}

/** Looks over the shoulder of an interceptor: which hosts are asked for, and by whom. */
export function watchHosts(onNew: (endpoint: string) => void = () => undefined) {
  const rows = new Map<string, Row>();
  const rowOf = (host: string, port: number): Row | undefined => {
    const endpoint = formatEndpoint({ host, port });
    const known = rows.get(endpoint);
    if (known !== undefined || rows.size >= MAX_HOSTS) return known;
    const row = { host, requests: 0, isDecrypted: false, agents: new Set<string>() };
    rows.set(endpoint, row);
    onNew(endpoint);
    return row;
  };
  const see = ({ scheme, host, port, headers }: Exchange): void => {
    const row = rowOf(host, port);
    if (row === undefined) return;
    row.requests++;
    row.isDecrypted ||= scheme === "https";
    const agent = headerOf(headers, "user-agent");
    if (agent !== undefined && row.agents.size < 5) row.agents.add(agent.slice(0, 200));
  };
  return {
    around:
      (start: StartInterceptor): StartInterceptor =>
      (options) =>
        start({
          ...options,
          decide: (endpoint) => {
            rowOf(endpoint.host, endpoint.port);
            return options.decide(endpoint);
          },
          onExchange: (exchange) => {
            see(exchange);
            options.onExchange(exchange);
          },
        }),
    /** All hosts, with what the session and the log in its folder say of each. */
    async seen(counts: SessionCounts, folder: string): Promise<HostSeen[]> {
      const tallies = await talliesIn(folder);
      return [...rows].map(([endpoint, { host, requests, isDecrypted, agents }]): HostSeen => {
        const odd = counts.hosts.find((one) => one.endpoint === endpoint);
        const tally = tallies.get(host);
        return {
          endpoint,
          host,
          requests,
          isDecrypted,
          events: tally?.events ?? 0,
          undecoded: tally?.undecoded ?? 0,
          formats: [...(tally?.formats ?? [])],
          bypassed: odd?.bypassed ?? 0,
          unseen: odd?.unseen ?? 0,
          clientErrors: odd?.clientErrors ?? 0,
          upstreamErrors: odd?.upstreamErrors ?? 0,
          ...(odd?.problem === undefined ? {} : { problem: odd.problem }),
          agents: [...agents],
        };
      });
    },
  };
}

interface Tally {
  events: number;
  undecoded: number;
  readonly formats: Set<string>;
}

/** What the records of a log say of each host. */
async function talliesIn(folder: string): Promise<ReadonlyMap<string, Tally>> {
  const tallies = new Map<string, Tally>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".log"))) {
    for await (const line of createInterface({ input: createReadStream(join(folder, file)), crlfDelay: Infinity })) {
      count(tallies, metaOf(line));
    }
  }
  return tallies;
}

function count(tallies: Map<string, Tally>, meta: JsonObject): void {
  const { host, format, undecoded, control } = meta;
  if (control !== undefined || typeof host !== "string") return;
  const tally = tallies.get(host) ?? { events: 0, undecoded: 0, formats: new Set<string>() };
  tallies.set(host, tally);
  if (undecoded !== undefined) tally.undecoded++;
  else {
    tally.events++;
    tally.formats.add(String(format));
  }
}

function metaOf(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && isObject(value["$capture"]) ? value["$capture"] : {};
  } catch {
    return {}; // a line that was being written
  }
}
