import { createReadStream, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import split2 from "split2";
import { benchFolder } from "./generate.ts";
import type { LoadOrder, LoadReport } from "./load.ts";
import { benchScript, runToEnd } from "./processes.ts";
import { DISCIPLINES, type Discipline, type ProxyOptions } from "./proxy-disciplines.ts";
import { type Aftermath, figuresTable, type Pass, type ProxyRow, rowOf } from "./proxy-figures.ts";
import {
  DIRECT,
  MITM,
  missing,
  OURS,
  openStand,
  type Stand,
  TUNNEL,
  WAYS,
  type Way,
  type WayName,
} from "./proxy-ways.ts";

export type { ProxyOptions } from "./proxy-disciplines.ts";
export type { ProxyRow } from "./proxy-figures.ts";

/** What one discipline showed. */
export interface DisciplineResult {
  readonly discipline: Discipline;
  readonly rows: readonly ProxyRow[];
  /** Ways that were left out, with the reason. */
  readonly skipped: readonly string[];
}

/** Ways that are always there: what the floors need. */
const NEAR: readonly WayName[] = [DIRECT, TUNNEL, OURS, MITM];

/**
 * POSTs to a local HTTPS origin directly, through a blind tunnel, through `waymark proxy` with capturing, decoding and
 * writing on, and through http-mitm-proxy with keep-alive, in turn, `rounds` times after one round that does not count.
 * Throws when a request fails on the way of waymark or of those it is measured by, or when its log does not hold every
 * event sent.
 */
export async function benchProxy(options: ProxyOptions): Promise<ProxyRow[]> {
  const [first] = DISCIPLINES;
  if (first === undefined) throw new Error("there is nothing to measure");
  return [...(await benchDiscipline(first, options, NEAR)).rows];
}

/** The same for one discipline. Other ways than those of waymark and its bases are left out, and named, when they fail. */
export async function benchDiscipline(
  discipline: Discipline,
  options: ProxyOptions,
  asked: readonly WayName[] = WAYS,
): Promise<DisciplineResult> {
  const skipped: string[] = [];
  const names = asked.filter((name) => {
    const why = discipline.without?.[name] ?? missing(name);
    if (why !== undefined) skipped.push(`${name}: ${why}`);
    return why === undefined;
  });
  const folder = mkdtempSync(join(benchFolder(), "proxy-"));
  try {
    const { protocol = "http1", hosts = () => 0 } = discipline;
    const stand = await openStand({ folder, names, protocol, hosts: hosts(options) });
    const rows = await measureAll(stand, { discipline, options, skipped }).finally(() => stand.stop());
    return { discipline, rows, skipped };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** The figures of a discipline, and what is left out of it. */
export function disciplineTable({ discipline, rows, skipped }: DisciplineResult): string {
  const left = skipped.map((why) => `left out: ${why}\n`).join("");
  return `${discipline.title}\n${figuresTable(rows, discipline.figures)}${left}`;
}

interface Measuring {
  readonly discipline: Discipline;
  readonly options: ProxyOptions;
  readonly skipped: string[];
}

async function measureAll(stand: Stand, measuring: Measuring): Promise<ProxyRow[]> {
  const { discipline } = measuring;
  const passes = new Map<WayName, Pass[]>(stand.ways.map(({ name }) => [name, []]));
  await measure(stand, passes, measuring);
  const aftermath = new Map<WayName, Aftermath>(
    stand.ways.map(({ name, service }) => [name, { peakMb: service?.peakMb(), sockets: service?.sockets() }]),
  );
  await stand.stop();
  const counted = new Map([...passes].map(([name, all]) => [name, discipline.hasWarmUp ? all.slice(1) : all]));
  const rows: ProxyRow[] = [];
  for (const name of passes.keys()) {
    const row = rowOf(name, counted, aftermath.get(name) ?? { peakMb: undefined, sockets: undefined });
    const isOurs = name === OURS && discipline.isCounted;
    rows.push(isOurs ? { ...row, ...completeness(passes.get(name) ?? [], await countEvents(stand.capture)) } : row);
  }
  return rows;
}

async function measure(stand: Stand, passes: Map<WayName, Pass[]>, measuring: Measuring): Promise<void> {
  const { discipline, options } = measuring;
  const rounds = (discipline.rounds?.(options) ?? options.rounds) + (discipline.hasWarmUp ? 1 : 0);
  for (let round = 0; round < rounds; round++) {
    const order = discipline.order(options, round);
    const seconds = discipline.hasWarmUp && round === 0 ? Math.min(1, order.seconds) : order.seconds;
    for (const way of stand.ways) await takeTurn(stand, way, { ...measuring, passes, order: { ...order, seconds } });
  }
}

interface Turn extends Measuring {
  readonly passes: Map<WayName, Pass[]>;
  readonly order: ReturnType<Discipline["order"]>;
}

/**
 * A peer that cannot carry this load, tried twice, is left out of it from then on; one of the near ways that cannot ends
 * the bench.
 */
async function takeTurn(stand: Stand, way: Way, { passes, order, skipped }: Turn): Promise<void> {
  if (!passes.has(way.name)) return;
  const isNear = NEAR.slice(0, 3).includes(way.name);
  try {
    const first = pass(stand, way, order);
    passes.get(way.name)?.push(await (isNear ? first : first.catch(() => pass(stand, way, order))));
  } catch (error) {
    if (isNear) throw error;
    passes.delete(way.name);
    skipped.push(`${way.name}: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`);
  }
}

async function pass(
  { origin }: Stand,
  { name, service, caFile }: Way,
  order: ReturnType<Discipline["order"]>,
): Promise<Pass> {
  const through = service === undefined ? {} : { proxyPort: service.port };
  const before = service?.cpuMs();
  const report = await drive(name, { ...order, ...through, originPort: origin.port, caFile });
  return { ...report, cpuUs: perRequest(before, service?.cpuMs(), report.requests) };
}

function perRequest(beforeMs: number | undefined, afterMs: number | undefined, requests: number): number | undefined {
  return beforeMs === undefined || afterMs === undefined ? undefined : ((afterMs - beforeMs) * 1000) / requests;
}

async function drive(way: string, order: LoadOrder): Promise<LoadReport> {
  const args = [benchScript("peers/load-client.js"), JSON.stringify(order)];
  const run = await runToEnd({ command: process.execPath, args });
  if (run.code !== 0) {
    const why = /^\w*Error.*$/m.exec(run.stderr)?.[0] ?? "";
    throw new Error(`the client failed on the way "${way}": ${why}\n${run.stderr}`);
  }
  return JSON.parse(run.stdout) as LoadReport;
}

function completeness(passes: readonly LoadReport[], captured: number): { sent: number; captured: number } {
  const sent = passes.reduce((sum, { events }) => sum + events, 0);
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
