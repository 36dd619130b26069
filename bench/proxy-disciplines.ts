import type { LoadOrder } from "./load.ts";
import type { Figure } from "./proxy-figures.ts";
import { MITM, type WayName } from "./proxy-ways.ts";

export interface ProxyOptions {
  /** Length of one pass over one proxy. */
  readonly seconds: number;
  readonly rounds: number;
  /** Requests in flight at once, each on its own kept-alive connection. */
  readonly connections: number;
  readonly bodyBytes: number;
  /** Requests per second, for latency without queueing; absent, as fast as answers come. */
  readonly rate?: number;
  /** Sizes of what has one: far smaller ones, which show that all works and little else. */
  readonly isQuick: boolean;
}

/** One way to load the proxies, and what is told of it. */
export interface Discipline {
  readonly name: string;
  readonly title: string;
  readonly protocol?: "http2";
  /** Addresses of loopback besides localhost that are asked for over all rounds. */
  hosts?(options: ProxyOptions): number;
  rounds?(options: ProxyOptions): number;
  /** The first round warms up and does not count. */
  readonly hasWarmUp: boolean;
  order(options: ProxyOptions, round: number): Omit<LoadOrder, "originPort" | "proxyPort" | "caFile">;
  readonly figures: readonly Figure[];
  /** Ways that cannot take part, with the reason. */
  readonly without?: Readonly<Partial<Record<WayName, string>>>;
  /** Telemetry goes through, so that waymark's log has to hold it all. */
  readonly isCounted: boolean;
}

const MEGABYTE = 1 << 20;
const NEW_HOSTS = 20;
const SLOW_BYTES_PER_SECOND = 50 * MEGABYTE;

const common = ({ connections, seconds, bodyBytes }: ProxyOptions) => ({ connections, seconds, bodyBytes });
const newHostsPer = ({ isQuick }: ProxyOptions): number => (isQuick ? 5 : NEW_HOSTS);

function transferOf(kind: "upload" | "download", isSlow: boolean): Discipline {
  const reader = isSlow ? `a reader of ${SLOW_BYTES_PER_SECOND / MEGABYTE} MB/s` : "a fast reader";
  return {
    name: `${kind}${isSlow ? "-slow" : ""}`,
    title: `200 MB ${kind === "upload" ? "up" : "down"}, ${reader}`,
    rounds: ({ isQuick }) => (isSlow || isQuick ? 1 : 3),
    hasWarmUp: false,
    order: (options) => ({
      ...common(options),
      kind,
      transferBytes: (options.isQuick ? 40 : 200) * MEGABYTE,
      ...(isSlow ? { slowBytesPerSecond: SLOW_BYTES_PER_SECOND } : {}),
    }),
    figures: ["seconds", "speedOfTunnel", "peakMb"],
    isCounted: false,
  };
}

/** All of them, in the order in which they are run. */
export const DISCIPLINES: readonly Discipline[] = [
  {
    name: "keep-alive",
    title: "POSTs of 2 KB over kept-alive connections",
    hasWarmUp: true,
    order: (options) => ({
      ...common(options),
      kind: "keep-alive",
      ...(options.rate === undefined ? {} : { rate: options.rate }),
    }),
    figures: [
      "perSecond",
      "ofDirect",
      "ofTunnel",
      "toMitm",
      "toMockttp",
      "toMitmdump",
      "addedP50Ms",
      "addedP99Ms",
      "cpuUs",
      "peakMb",
    ],
    isCounted: true,
  },
  {
    name: "paced",
    title: "the same at 200 requests/s",
    hasWarmUp: true,
    order: (options) => ({ ...common(options), kind: "keep-alive", rate: 200 }),
    figures: ["addedP50Ms", "addedP99Ms", "cpuUs", "peakMb"],
    isCounted: true,
  },
  {
    name: "new-connections",
    title: "each POST on a connection of its own",
    hasWarmUp: true,
    order: (options) => ({ ...common(options), kind: "new-connections" }),
    figures: ["perSecond", "ofDirect", "ofTunnel", "toMitm", "toMockttp", "toMitmdump", "peakMb"],
    isCounted: true,
  },
  {
    name: "http2",
    title: "HTTP/2: the same POSTs as streams on four connections",
    protocol: "http2",
    hasWarmUp: true,
    order: (options) => ({ ...common(options), kind: "http2" }),
    figures: ["perSecond", "ofDirect", "ofTunnel", "toMockttp", "toMitmdump", "addedP50Ms", "addedP99Ms", "peakMb"],
    without: { [MITM]: "it has no HTTP/2" },
    isCounted: true,
  },
  {
    name: "new-hosts",
    title: "first request to a new host, beside a warm host",
    hosts: (options) => newHostsPer(options) * (options.rounds + 1),
    hasWarmUp: true,
    order: (options, round) => {
      const hosts = newHostsPer(options);
      return { ...common(options), kind: "new-hosts", hosts, firstHost: round * hosts };
    },
    figures: ["p50Ms", "maxMs", "stallMs", "peakMb"],
    isCounted: true,
  },
  transferOf("upload", false),
  transferOf("download", false),
  transferOf("upload", true),
  transferOf("download", true),
  {
    name: "many-hosts",
    title: "500 hosts, each asked once",
    hosts: ({ isQuick }) => (isQuick ? 50 : 500),
    rounds: () => 1,
    hasWarmUp: false,
    order: (options) => ({
      ...common(options),
      connections: 4,
      kind: "many-hosts",
      hosts: options.isQuick ? 50 : 500,
    }),
    figures: ["seconds", "p50Ms", "peakMb", "descriptors", "listeners"],
    isCounted: true,
  },
];
