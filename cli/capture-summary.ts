import { plural, showCount } from "../grader/report/text.ts";
import type { SessionCounts } from "../proxy/session.ts";

/** What a capture saw, for Ctrl-C and for the end of a run. What was lost or could not be read comes last and is never left out. */
export function captureSummary(counts: SessionCounts, file: string): string {
  const { intercept, log } = counts;
  const formats = Object.entries(counts.events).map(([format, count]) => `${format} ${showCount(count)}`);
  const events = Object.values(counts.events).reduce((sum, count) => sum + count, 0);
  const lines = [
    `${plural(intercept.connections, "connection")}: ${showCount(intercept.intercepted)} opened, ${showCount(intercept.tunnelled)} passed on unseen`,
    `${plural(counts.exchanges, "request")} read, ${plural(events, "event")} written${formats.length === 0 ? "" : ` (${formats.join(", ")})`} to ${file}`,
    some(counts.redacted, (n) => `${plural(n, "value")} redacted`),
    some(counts.retries, (n) => `${plural(n, "event")} sent again by an SDK`),
    some(counts.preflights, (n) => `${plural(n, "CORS preflight")}`),
    some(counts.undecoded, (n) => `${plural(n, "body", "bodies")} undecoded, kept raw`),
    some(intercept.opaque, (n) => `${plural(n, "opened connection")} carried no HTTP/1 and passed through unread`),
    some(intercept.refused, (n) => `${plural(n, "request")} to the proxy's own ports refused`),
    some(intercept.upstreamErrors, (n) => `${plural(n, "upstream error")}`),
    some(intercept.clientErrors, (n) => `${plural(n, "client error")}`),
    some(log.lost + counts.failed, (n) => `${plural(n, "record")} LOST: this capture is incomplete`),
  ];
  const nothing = counts.exchanges === 0 ? nothingSeen(intercept.connections) : [];
  return `${[...lines.filter((line) => line !== undefined), ...nothing].map((line) => `  ${line}`).join("\n")}\n`;
}

function some(count: number, say: (count: number) => string): string | undefined {
  return count === 0 ? undefined : say(count);
}

function nothingSeen(connections: number): string[] {
  if (connections === 0) return ['no connection came: start the app in a shell after eval "$(waymark env)"'];
  return ["connections came, but none was opened: name the telemetry host with --host, or try --all"];
}
