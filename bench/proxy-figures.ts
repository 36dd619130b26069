import type { LoadReport } from "./load.ts";
import { median, pairedRatio, shown, table } from "./numbers.ts";
import { DIRECT, MITM, MITMDUMP, MOCKTTP, TUNNEL, type WayName } from "./proxy-ways.ts";

/** How one way to the origin did; what a discipline does not measure, or a machine does not tell, is NaN or absent. */
export interface ProxyRow {
  readonly way: string;
  readonly perSecond: number;
  /** Medians over the rounds, each against the same round: share of the direct speed, of the blind tunnel's, times another's. */
  readonly ofDirect: number;
  readonly ofTunnel: number;
  readonly toMitm: number;
  readonly toMockttp?: number;
  readonly toMitmdump?: number;
  /** Seconds of one pass; the tunnel's seconds divided by these, which is the share of its speed. */
  readonly seconds?: number;
  readonly speedOfTunnel?: number;
  readonly p50Ms?: number;
  readonly maxMs?: number;
  /** Longest wait of a warm connection. */
  readonly stallMs?: number;
  /** Milliseconds more than direct, at the median and at the 99th percentile. */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  /** Processor time of the proxy for one request, in microseconds, NaN where the system does not tell. Of all figures the one other programs disturb least. */
  readonly cpuUs: number;
  readonly peakMb: number | undefined;
  readonly descriptors?: number;
  readonly listeners?: number;
  /** Events that went through and events in the log; they have to be equal. */
  readonly sent?: number;
  readonly captured?: number;
}

export type Figure = Exclude<keyof ProxyRow, "way" | "sent" | "captured">;

const FIGURES: Readonly<Record<Figure, readonly [head: string, digits: number]>> = {
  perSecond: ["requests/s", 0],
  ofDirect: ["of direct", 2],
  ofTunnel: ["of tunnel", 2],
  toMitm: ["x http-mitm-proxy", 2],
  toMockttp: ["x mockttp", 2],
  toMitmdump: ["x mitmdump", 2],
  seconds: ["seconds", 2],
  speedOfTunnel: ["of tunnel", 2],
  p50Ms: ["p50 ms", 1],
  maxMs: ["max ms", 1],
  stallMs: ["worst stall ms", 1],
  addedP50Ms: ["+p50 ms", 2],
  addedP99Ms: ["+p99 ms", 2],
  cpuUs: ["CPU us", 0],
  peakMb: ["peak MB", 0],
  descriptors: ["descriptors", 0],
  listeners: ["listeners", 0],
};

/** The rows as a table of some figures. */
export function figuresTable(rows: readonly ProxyRow[], figures: readonly Figure[]): string {
  const head = ["way", ...figures.map((figure) => FIGURES[figure][0])];
  const cells = rows.map((row) => [row.way, ...figures.map((figure) => shown(row[figure], FIGURES[figure][1]))]);
  const captured = rows.find((row) => row.captured !== undefined);
  const told = captured === undefined ? "" : `captured ${captured.captured} of ${captured.sent} events\n`;
  return `${table(head, cells)}${told}`;
}

export interface Pass extends LoadReport {
  /** Processor time of the proxy per request in microseconds, where the system tells. */
  readonly cpuUs: number | undefined;
}

/** What stood after the last round. */
export interface Aftermath {
  readonly peakMb: number | undefined;
  readonly sockets: { readonly descriptors: number; readonly listeners: number } | undefined;
}

/** The figures of one way, from the passes of all ways that count. */
export function rowOf(
  way: WayName,
  passes: ReadonlyMap<WayName, readonly Pass[]>,
  { peakMb, sockets }: Aftermath,
): ProxyRow {
  const of = (name: WayName, key: "perSecond" | "seconds"): number[] =>
    (passes.get(name) ?? []).map((pass) => pass[key]);
  const own = passes.get(way) ?? [];
  const ratio = (other: WayName): number => pairedRatio(of(way, "perSecond"), of(other, "perSecond"));
  const added = (key: "p50Ms" | "p99Ms"): number =>
    median(own.map((pass, round) => pass[key] - (passes.get(DIRECT)?.[round]?.[key] ?? Number.NaN)));
  const middle = (key: "p50Ms" | "maxMs" | "stallMs" | "cpuUs"): number =>
    median(own.map((pass) => pass[key] ?? Number.NaN));
  return {
    way,
    perSecond: median(of(way, "perSecond")),
    ofDirect: ratio(DIRECT),
    ofTunnel: ratio(TUNNEL),
    toMitm: ratio(MITM),
    toMockttp: ratio(MOCKTTP),
    toMitmdump: ratio(MITMDUMP),
    seconds: median(of(way, "seconds")),
    speedOfTunnel: pairedRatio(of(TUNNEL, "seconds"), of(way, "seconds")),
    p50Ms: middle("p50Ms"),
    maxMs: middle("maxMs"),
    stallMs: middle("stallMs"),
    addedP50Ms: added("p50Ms"),
    addedP99Ms: added("p99Ms"),
    cpuUs: middle("cpuUs"),
    peakMb,
    ...sockets,
  };
}
