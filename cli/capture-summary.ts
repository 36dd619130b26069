import { asText, plural, showCount } from "../grader/report/text.ts";
import type { HostCounts, InterceptorCounts } from "../proxy/intercept/interceptor.ts";
import type { SessionCounts } from "../proxy/session.ts";

/** Hosts named in one line; of the others only the number is told. */
const MAX_NAMED = 5;

/** What a capture saw, for Ctrl-C and for the end of a run. What was lost or could not be read comes last and is never left out. */
export function captureSummary(counts: SessionCounts, file: string): string {
  const { intercept, log, hosts } = counts;
  const lines = [
    connections(intercept),
    `${plural(counts.exchanges, "request")} read, ${written(counts, place(log.files, file))}`,
    some(counts.redacted, (n) => `${plural(n, "value")} redacted`),
    some(counts.retries, (n) => `${plural(n, "event")} sent again by an SDK`),
    some(counts.preflights, (n) => `${plural(n, "CORS preflight")}`),
    some(counts.undecoded, (n) => `${plural(n, "body", "bodies")} undecoded, kept raw`),
    ...Object.entries(counts.decoderErrors ?? {}).map(
      ([name, n]) => `${plural(n, "failure")} of the decoder ${asText(name)}`,
    ),
    some(intercept.passed, (n) => `${plural(n, "other http request")} passed on${of(hosts, "passed")}`),
    some(total(hosts, "unseen"), () => `passed on unseen${of(hosts, "unseen")}${readUnseen(hosts)}`),
    some(total(hosts, "bypassed"), () => `bypassed${of(hosts, "bypassed")}`),
    some(intercept.keptIn, (n) => {
      return `${plural(n, "request")} kept from leaving this machine (--sink)${of(hosts, "keptIn")}; ${readIt(hosts, "keptIn")}`;
    }),
    some(
      intercept.unopened,
      (n) => `${plural(n, "connection")} passed on unseen to hosts that cannot be opened without breaking the app`,
    ),
    some(
      intercept.unreadStreams,
      (n) => `${plural(n, "stream")} inside opened connections passed on unread (pushed answers, other upgrades)`,
    ),
    some(intercept.messages, (n) => `${plural(n, "WebSocket message")} seen`),
    some(
      intercept.opaque,
      (n) => `${plural(n, "opened connection")} carried no HTTP that could be read and passed through unread`,
    ),
    some(intercept.refused - intercept.keptIn, (n) => `${plural(n, "request")} to the proxy's own ports refused`),
    some(intercept.upstreamErrors, (n) => `${plural(n, "upstream error")}${of(hosts, "upstreamErrors")}`),
    some(intercept.clientErrors, (n) => `${plural(n, "client error")}${of(hosts, "clientErrors")}`),
    ...troubles(hosts),
    some(log.foreign ?? 0, (n) => `${plural(n, "byte")} in the log were written by ANOTHER PROGRAM`),
    some(log.lost + counts.failed, (n) => `${plural(n, "record")} LOST: this capture is incomplete`),
    ...nothingSeen(counts),
  ];
  return `${lines
    .filter((line) => line !== undefined)
    .map((line) => `  ${line}`)
    .join("\n")}\n`;
}

type Tally = "unseen" | "bypassed" | "passed" | "keptIn" | "upstreamErrors" | "clientErrors";

/** Every connection is one of these, so that the numbers add up. */
function connections({ connections: all, intercepted, unread, tunnelled, plain }: InterceptorCounts): string {
  const opened = intercepted + unread;
  const rest = Math.max(0, all - opened - tunnelled - plain);
  const parts = [`${showCount(opened)} opened`, `${showCount(tunnelled)} passed on unseen`];
  if (plain > 0) parts.push(`${showCount(plain)} plain http`);
  if (rest > 0) parts.push(`${showCount(rest)} failed, refused or unused`);
  return `${plural(all, "connection")}: ${parts.join(", ")}`;
}

/** Where records were lost, what was read and what stands there are not the same. */
function written({ events, log, failed }: SessionCounts, where: string): string {
  const formats = Object.entries(events).map(([format, count]) => `${format} ${showCount(count)}`);
  const sum = Object.values(events).reduce((total, count) => total + count, 0);
  const kinds = formats.length === 0 ? "" : ` (${formats.join(", ")})`;
  if (log.lost + failed === 0) return `${plural(sum, "event")} written${kinds} ${where}`;
  return `${plural(sum, "event")}${kinds}; ${plural(log.written, "record")} written ${where}`;
}

function place(files: number, file: string): string {
  return files === 1 ? `to ${file}` : `in ${showCount(files)} files, the last ${file}`;
}

function total(hosts: readonly HostCounts[], kind: Tally): number {
  return hosts.reduce((sum, host) => sum + host[kind], 0);
}

/** `: a.example:443 (3), b.example:443 (1), 4 hosts more`; the most frequent first. */
function of(hosts: readonly HostCounts[], kind: Tally): string {
  const all = most(hosts, kind);
  const named = all.slice(0, MAX_NAMED).map((host) => `${asText(host.endpoint)} (${showCount(host[kind])})`);
  const more = all.length > MAX_NAMED ? [`${plural(all.length - MAX_NAMED, "host")} more`] : [];
  return named.length === 0 ? "" : `: ${[...named, ...more].join(", ")}`;
}

function most(hosts: readonly HostCounts[], kind: Tally): HostCounts[] {
  return hosts.filter((host) => host[kind] > 0).sort((a, b) => b[kind] - a[kind]);
}

/** How to read them, unless none of them could be opened anyway. */
function readUnseen(hosts: readonly HostCounts[]): string {
  const openable = hosts.filter(({ unseen, unopened }) => unseen > unopened);
  return openable.length === 0 ? "" : `; ${readIt(openable, "unseen")}`;
}

function readIt(hosts: readonly HostCounts[], kind: Tally): string {
  const all = most(hosts, kind).filter(({ endpoint }) => endpoint.includes(":"));
  const name = asText((all[0]?.endpoint ?? "").replace(/:[0-9]+$/, ""));
  return all.length === 1 ? `read it with --host ${name}` : `read one with --host NAME, such as --host ${name}`;
}

/** The last reason of each host that had trouble. */
function troubles(hosts: readonly HostCounts[]): string[] {
  const all = hosts.filter(({ problem }) => problem !== undefined);
  const errors = (host: HostCounts): number => host.upstreamErrors + host.clientErrors;
  return all
    .sort((a, b) => errors(b) - errors(a))
    .slice(0, MAX_NAMED)
    .map(({ endpoint, problem = "" }) => `  ${asText(endpoint)}: ${asText(problem)}`);
}

function some(count: number, say: (count: number) => string): string | undefined {
  return count === 0 ? undefined : say(count);
}

const NO_CONNECTION = [
  'no connection came: start the app in a shell after eval "$(waymark env)"',
  "Node before 22.21 (and 24.0) ignores proxy variables for fetch and https, unless the app sets an agent",
];

/** What to do about a capture without a single request read; only what happened is spoken of. */
function nothingSeen({ exchanges, intercept, hosts }: SessionCounts): readonly string[] {
  const { connections: all, intercepted, unread, tunnelled, passed } = intercept;
  if (exchanges > 0) return [];
  if (all === 0) return NO_CONNECTION;
  if (intercepted + unread > 0) {
    return total(hosts, "clientErrors") > 0
      ? ["connections were opened, but their clients refused them before a request"]
      : ["connections were opened, but no request came in them"];
  }
  if (total(hosts, "unseen") > 0) {
    return ["connections came, but none was opened: name the telemetry host with --host, or try --all"];
  }
  if (passed > 0 && tunnelled === 0)
    return ["plain http came, but no telemetry in it: --host NAME keeps whatever a host is sent"];
  return [];
}
