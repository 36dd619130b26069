import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import split2 from "split2";
import { loopbackCertificate } from "../test/support/certificate.ts";
import { benchFolder } from "./generate.ts";
import { EVENTS_PER_REQUEST, type LoadOrder, type LoadReport } from "./load.ts";
import { median, pairedRatio, shown, table } from "./numbers.ts";
import { benchScript, type Program, runToEnd, type Service, startService, WAYMARK } from "./processes.ts";

export interface ProxyOptions {
  /** Length of one pass over one proxy. */
  readonly seconds: number;
  readonly rounds: number;
  /** Requests in flight at once, each on its own kept-alive connection. */
  readonly connections: number;
  readonly bodyBytes: number;
  /** Requests per second, for latency without queueing; absent, as fast as answers come. */
  readonly rate?: number;
}

/** How one way to the origin did. */
export interface ProxyRow {
  readonly way: string;
  readonly perSecond: number;
  /** Medians over the rounds, each against the same round: share of the direct speed, of the blind tunnel's, times http-mitm-proxy's. */
  readonly ofDirect: number;
  readonly ofTunnel: number;
  readonly toMitm: number;
  /** Milliseconds more than direct, at the median and at the 99th percentile. */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  /** Processor time of the proxy for one request, in microseconds, NaN where the system does not tell. Of all figures the one other programs disturb least. */
  readonly cpuUs: number;
  readonly peakMb: number | undefined;
  /** Events that went through and events in the log; they have to be equal. */
  readonly sent?: number;
  readonly captured?: number;
}

/**
 * POSTs to a local HTTPS origin directly, through a blind tunnel, through `waymark proxy` with capturing, decoding and
 * writing on, and through http-mitm-proxy with keep-alive, in turn, `rounds` times after one round that does not count.
 * Throws when a request fails anywhere, or when waymark's log does not hold every event sent.
 */
export async function benchProxy(options: ProxyOptions): Promise<ProxyRow[]> {
  const folder = mkdtempSync(join(benchFolder(), "proxy-"));
  const services: Service[] = [];
  const start = async (program: Program): Promise<Service> => {
    const service = await startService(program);
    services.push(service);
    return service;
  };
  try {
    const origin = await startOrigin(folder, start);
    const ways = await startWays(folder, start);
    const rounds = await measure(options, origin.port, ways);
    const peaks = ways.map(({ service }) => service?.peakMb());
    await Promise.all(services.map((service) => service.stop()));
    const captured = await countEvents(join(folder, "capture"));
    return rowsOf(ways, rounds, { peaks, captured });
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** The figures as a table. */
export function proxyTable(rows: readonly ProxyRow[]): string {
  const head = [
    "way",
    "requests/s",
    "of direct",
    "of tunnel",
    "x http-mitm-proxy",
    "+p50 ms",
    "+p99 ms",
    "CPU us",
    "peak MB",
  ];
  const cells = rows.map((row) => [
    row.way,
    shown(row.perSecond, 0),
    shown(row.ofDirect, 2),
    shown(row.ofTunnel, 2),
    shown(row.toMitm, 2),
    shown(row.addedP50Ms, 2),
    shown(row.addedP99Ms, 2),
    shown(row.cpuUs, 0),
    shown(row.peakMb, 0),
  ]);
  const captured = rows.find((row) => row.captured !== undefined);
  return `${table(head, cells)}captured ${captured?.captured} of ${captured?.sent} events\n`;
}

interface Way {
  readonly name: string;
  readonly service?: Service;
  /** The certificate its client has to trust. */
  readonly caFile: string;
}

type Start = (program: Program) => Promise<Service>;

const DIRECT = "direct";
const TUNNEL = "blind tunnel";
const OURS = "waymark proxy";
const MITM = "http-mitm-proxy, keep-alive";

async function startOrigin(folder: string, start: Start): Promise<Service> {
  const { key, cert } = await loopbackCertificate(["localhost"]);
  writeFileSync(join(folder, "origin-key.pem"), key, { mode: 0o600 });
  writeFileSync(originCert(folder), cert);
  const args = [benchScript("peers/origin.js"), join(folder, "origin-key.pem"), originCert(folder)];
  return start({ command: process.execPath, args });
}

function originCert(folder: string): string {
  return join(folder, "origin.pem");
}

async function startWays(folder: string, start: Start): Promise<Way[]> {
  const node = process.execPath;
  const mitmFolder = join(folder, "mitm");
  mkdirSync(mitmFolder);
  const mitm = [benchScript("peers/http-mitm-proxy.js"), mitmFolder, join(folder, "mitm-capture.ndjson")];
  const caFolder = join(folder, "ca");
  return [
    { name: DIRECT, caFile: originCert(folder) },
    {
      name: TUNNEL,
      service: await start({ command: node, args: [benchScript("peers/tunnel.js")] }),
      caFile: originCert(folder),
    },
    {
      name: OURS,
      service: await start({ command: node, args: proxyArguments(folder), env: { WAYMARK_CA_DIR: caFolder } }),
      caFile: join(caFolder, "waymark-ca.pem"),
    },
    {
      name: MITM,
      service: await start({ command: node, args: mitm, env: { NODE_EXTRA_CA_CERTS: originCert(folder) } }),
      caFile: join(mitmFolder, "certs", "ca.pem"),
    },
  ];
}

/** The command line of waymark's side. */
function proxyArguments(folder: string): string[] {
  const upstream = ["--host", "localhost", "--upstream-ca", originCert(folder)];
  return [WAYMARK, "proxy", "--port", "0", "--out", join(folder, "capture"), ...upstream];
}

interface Pass extends LoadReport {
  /** Processor time of the proxy per request in microseconds, where the system tells. */
  readonly cpuUs: number | undefined;
}

/** One list of passes per way; index 0 is the round that warms up. */
type Rounds = ReadonlyMap<string, readonly Pass[]>;

async function measure(options: ProxyOptions, originPort: number, ways: readonly Way[]): Promise<Rounds> {
  const reports = new Map<string, Pass[]>(ways.map(({ name }) => [name, []]));
  for (let round = 0; round <= options.rounds; round++) {
    for (const { name, service, caFile } of ways) {
      const seconds = round === 0 ? Math.min(1, options.seconds) : options.seconds;
      const through = service === undefined ? {} : { proxyPort: service.port };
      const cpuBefore = service?.cpuMs();
      const report = await drive(name, { ...options, ...through, originPort, caFile, seconds });
      reports.get(name)?.push({ ...report, cpuUs: perRequest(cpuBefore, service?.cpuMs(), report.requests) });
    }
  }
  return reports;
}

function perRequest(beforeMs: number | undefined, afterMs: number | undefined, requests: number): number | undefined {
  return beforeMs === undefined || afterMs === undefined ? undefined : ((afterMs - beforeMs) * 1000) / requests;
}

async function drive(way: string, order: LoadOrder): Promise<LoadReport> {
  const args = [benchScript("peers/load-client.js"), JSON.stringify(order)];
  const run = await runToEnd({ command: process.execPath, args });
  if (run.code !== 0) throw new Error(`the client failed on the way "${way}":\n${run.stderr}`);
  return JSON.parse(run.stdout) as LoadReport;
}

interface Aftermath {
  readonly peaks: readonly (number | undefined)[];
  readonly captured: number;
}

function rowsOf(ways: readonly Way[], rounds: Rounds, { peaks, captured }: Aftermath): ProxyRow[] {
  const counted = (name: string): readonly Pass[] => rounds.get(name)?.slice(1) ?? [];
  const speeds = (name: string): number[] => counted(name).map(({ perSecond }) => perSecond);
  const added = (name: string, of: "p50Ms" | "p99Ms"): number =>
    median(counted(name).map((report, round) => report[of] - (counted(DIRECT)[round]?.[of] ?? Number.NaN)));
  return ways.map(({ name }, index) => ({
    way: name,
    perSecond: median(speeds(name)),
    ofDirect: pairedRatio(speeds(name), speeds(DIRECT)),
    ofTunnel: pairedRatio(speeds(name), speeds(TUNNEL)),
    toMitm: pairedRatio(speeds(name), speeds(MITM)),
    addedP50Ms: added(name, "p50Ms"),
    addedP99Ms: added(name, "p99Ms"),
    cpuUs: median(counted(name).map(({ cpuUs }) => cpuUs ?? Number.NaN)),
    peakMb: peaks[index],
    ...(name === OURS ? completeness(rounds.get(name) ?? [], captured) : {}),
  }));
}

function completeness(reports: readonly LoadReport[], captured: number): { sent: number; captured: number } {
  const sent = reports.reduce((sum, { requests }) => sum + requests * EVENTS_PER_REQUEST, 0);
  // Windows cannot ask a process to end: the proxy is cut off there with its last lines unwritten.
  if (sent !== captured && process.platform !== "win32")
    throw new Error(`${sent} events went through the proxy, its log has ${captured}`);
  return { sent, captured };
}

/** Lines with a sequence number, in all files of the folder. */
async function countEvents(folder: string): Promise<number> {
  let count = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".log"))) {
    for await (const line of createReadStream(join(folder, file)).pipe(split2()) as AsyncIterable<string>) {
      if (line.includes('"seq":')) count += 1;
    }
  }
  return count;
}
