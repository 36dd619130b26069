import { type Goal, goalsTable } from "./goals.ts";
import type { Figure, ProxyRow } from "./proxy-figures.ts";
import { OURS } from "./proxy-ways.ts";

interface ProxyGoal extends Goal {
  readonly discipline: string;
  readonly figure: Figure;
}

/** What waymark is to reach on a quiet machine, with reading, redacting and writing switched on. */
const GOALS: readonly ProxyGoal[] = [
  { discipline: "keep-alive", figure: "ofDirect", what: "keep-alive, of direct", atLeast: 0.45 },
  { discipline: "keep-alive", figure: "ofTunnel", what: "keep-alive, of the blind tunnel", atLeast: 0.65 },
  { discipline: "keep-alive", figure: "toMitm", what: "keep-alive, x http-mitm-proxy", atLeast: 2.5 },
  { discipline: "keep-alive", figure: "toMockttp", what: "keep-alive, x mockttp", atLeast: 8 },
  { discipline: "keep-alive", figure: "toMitmdump", what: "keep-alive, x mitmdump", atLeast: 15 },
  { discipline: "keep-alive", figure: "addedP50Ms", what: "keep-alive, added p50 ms", below: 2 },
  { discipline: "keep-alive", figure: "addedP99Ms", what: "keep-alive, added p99 ms", below: 8 },
  { discipline: "keep-alive", figure: "peakMb", what: "keep-alive, peak MB", below: 120 },
  { discipline: "paced", figure: "addedP50Ms", what: "200/s, added p50 ms", below: 0.4 },
  { discipline: "paced", figure: "addedP99Ms", what: "200/s, added p99 ms", below: 4 },
  { discipline: "http2", figure: "ofTunnel", what: "HTTP/2, of the blind tunnel", atLeast: 0.6 },
  { discipline: "new-hosts", figure: "p50Ms", what: "first request to a new host, p50 ms", below: 20 },
  { discipline: "new-hosts", figure: "stallMs", what: "worst stall beside it, ms", below: 20 },
  { discipline: "upload", figure: "speedOfTunnel", what: "200 MB up, of the blind tunnel", atLeast: 0.6 },
  { discipline: "download", figure: "speedOfTunnel", what: "200 MB down, of the blind tunnel", atLeast: 0.6 },
  { discipline: "upload-slow", figure: "peakMb", what: "200 MB up, slow reader, peak MB", below: 120 },
  { discipline: "download-slow", figure: "peakMb", what: "200 MB down, slow reader, peak MB", below: 120 },
  { discipline: "many-hosts", figure: "peakMb", what: "500 hosts, peak MB", below: 120 },
  { discipline: "many-hosts", figure: "listeners", what: "500 hosts, listening sockets", below: 2 },
];

/** Each goal beside what was measured of it; goals of disciplines that did not run are left out. */
export function proxyGoals(measured: ReadonlyMap<string, readonly ProxyRow[]>): string {
  const rows = GOALS.flatMap((goal): [Goal, number][] => {
    const ours = measured.get(goal.discipline)?.find(({ way }) => way === OURS);
    return ours === undefined ? [] : [[goal, ours[goal.figure] ?? Number.NaN]];
  });
  return goalsTable(rows);
}
