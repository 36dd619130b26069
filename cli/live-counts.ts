import { asText, plural, showCount } from "../grader/report/text.ts";
import type { SessionCounts } from "../proxy/session.ts";
import type { Terminal } from "./terminal.ts";

/** A line that is drawn anew changes this often; elsewhere a new line is said so often, when anything changed. */
const REDRAW_MS = 500;
const SAY_MS = 60_000;
const CLEAR = "\r\u001b[2K";

export interface LiveCountsOptions {
  readonly terminal: Terminal;
  readonly counts: () => SessionCounts;
  readonly isQuiet: boolean;
  /** Milliseconds between lines where nothing can be drawn anew. */
  readonly sayMs?: number;
}

/** Counts that stand on stderr while a capture runs. */
export interface LiveCounts {
  /** A terminal on which other talk goes above the counts. */
  readonly terminal: Terminal;
  stop(): void;
}

/**
 * Shows what a capture has seen so far: on a terminal in one line that is drawn anew, elsewhere in a line a minute as long
 * as something happens. With `isQuiet` it says nothing. It uses no colour.
 */
export function showLiveCounts({ terminal, counts, isQuiet, sayMs = SAY_MS }: LiveCountsOptions): LiveCounts {
  if (isQuiet) return { terminal, stop: () => undefined };
  if (terminal.errIsTerminal && terminal.env["TERM"] !== "dumb") return drawn(terminal, counts);
  let said = countsLine(counts());
  const timer = setInterval(() => {
    const line = countsLine(counts());
    if (line !== said) terminal.err(`  ${line}\n`);
    said = line;
  }, sayMs).unref();
  return { terminal, stop: () => clearInterval(timer) };
}

function drawn(terminal: Terminal, counts: () => SessionCounts): LiveCounts {
  const columns = (): number => Math.max(40, process.stderr.columns || Number(terminal.env["COLUMNS"]) || 100) - 1;
  const draw = (): void => terminal.err(`${CLEAR}${`  ${countsLine(counts())}`.slice(0, columns())}`);
  const timer = setInterval(draw, REDRAW_MS).unref();
  draw();
  return {
    terminal: { ...terminal, err: (text) => terminal.err(`${CLEAR}${text}`) },
    stop: () => {
      clearInterval(timer);
      terminal.err(CLEAR);
    },
  };
}

/** `12 requests  34 events (onecollector 30, otlp 4)  1 undecoded  2 bypassed  0 lost`; what is zero and harmless is left out. */
export function countsLine({ exchanges, events, undecoded, hosts, intercept, log, failed }: SessionCounts): string {
  const formats = Object.entries(events).map(([format, count]) => `${asText(format)} ${showCount(count)}`);
  const sum = Object.values(events).reduce((total, count) => total + count, 0);
  const bypassed = hosts.reduce((total, host) => total + host.bypassed, 0);
  const unseen = intercept.tunnelled - bypassed;
  const lost = log.lost + failed;
  return [
    plural(exchanges, "request"),
    `${plural(sum, "event")}${formats.length === 0 ? "" : ` (${formats.join(", ")})`}`,
    `${showCount(undecoded)} undecoded`,
    `${showCount(bypassed)} bypassed`,
    ...(unseen > 0 ? [`${showCount(unseen)} passed on unseen`] : []),
    ...(intercept.opaque > 0 ? [`${showCount(intercept.opaque)} unreadable`] : []),
    lost > 0 ? `${showCount(lost)} LOST` : "0 lost",
  ].join("  ");
}
