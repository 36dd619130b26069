import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BlameBenchOrder, benchBlame } from "./blame.ts";
import { benchCertificates } from "./certificates.ts";
import { benchDecode, decodeTable } from "./decode.ts";
import { type BenchResults, shortfalls } from "./floors.ts";
import { benchFolder, LOG_KINDS, type LogKind } from "./generate.ts";
import { benchGrading, GRADINGS, type Grading } from "./grading.ts";
import { benchLearn, type LearnBenchOrder } from "./learn.ts";
import { benchMemory, memoryOptions, memoryTable } from "./memory.ts";
import { parseSize } from "./numbers.ts";
import { goFirst } from "./priority.ts";
import { benchDiscipline, benchProxy, type DisciplineResult, disciplineTable, type ProxyRow } from "./proxy.ts";
import { DISCIPLINES, type Discipline } from "./proxy-disciplines.ts";
import { figuresTable } from "./proxy-figures.ts";
import { proxyGoals } from "./proxy-goals.ts";

const USAGE = `npm run bench -- [grade|proxy|memory|decode|floors|learn|blame] [options]

grade, proxy, memory and decode print figures; without a name all run. floors makes a quick pass (of the parts named beside
it, else of all) and exits 1 when a figure is under its floor. learn --sets DIR prints how well scenarios learned from a few
good runs tell good runs from bad ones. blame plays the demo's app and agent with planted faults under the real proxy and
prints how often the right side gets the blame.

  --size SIZE       size of the logs (1GB; 100MB quick)
  --kind LIST       kinds of log, comma separated, or "all" (sparse)
  --rounds N        paired rounds (5; quick 3, of the proxy 7)
  --seconds N       length of one pass over one proxy (5; 2 quick)
  --connections N   requests at once (32)
  --rate N          requests per second instead of as many as get answered
  --seed N          seed of the logs (1)
  --captures DIR    captured requests to decode (those of the tests)
  --quick           a short pass
  --sets DIR        learn: folder of labelled runs (NAME.tar.gz, or NAME/dev unpacked)
  --k LIST          learn: good runs to learn from (3; 2 or 10 where a set asks for it), also as NAME=K
  --only LIST       learn: sets whose name begins so (all); grade: only these of
                    ${GRADINGS.join(", ")}; proxy: only these loads
                    (${DISCIPLINES.map(({ name }) => name)
                      .join(", ")
                      .replace(/(.{60,70}?), /g, "$1,\n                     ")})
  --draws N         learn: random choices of good runs (20)
  --closed-world L  learn: sets whose log is machine-made (guessed)
  --dir DIR         blame: where its runs are, or are made (a folder for temporary files)
  --runs N          blame: runs of each kind; 20 make 100 with a fault of the app, of the agent, of nobody (20)
  --json FILE       write the figures to a file

kinds of log
${Object.entries(LOG_KINDS)
  .map(([kind, what]) => `  ${kind.padEnd(17)} ${what}`)
  .join("\n")}
`;

const PARTS = ["grade", "proxy", "memory", "decode"] as const;
type Part = (typeof PARTS)[number];

interface Order {
  readonly parts: readonly Part[];
  /** Whether the floors decide the exit code. */
  readonly checked: boolean;
  readonly kinds: readonly LogKind[];
  readonly bytes: number;
  readonly rounds: number;
  /** More of them, as a pass is short and three programs share the processors, so that single rounds differ much. */
  readonly proxyRounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly rate?: number;
  readonly gradings: readonly Grading[];
  readonly disciplines: readonly Discipline[];
  readonly isQuick: boolean;
  readonly seed: number;
  readonly json: string | undefined;
  readonly captures: string | undefined;
  /** Present when scenarios are to be learned; nothing else runs then. */
  readonly learn?: LearnBenchOrder;
  /** Present when faults are to be blamed on someone; nothing else runs then. */
  readonly blame?: BlameBenchOrder;
}

function readOrder(args: string[]): Order {
  const text = { type: "string" } as const;
  const options = {
    size: text,
    kind: text,
    rounds: text,
    seconds: text,
    connections: text,
    rate: text,
    seed: text,
    json: text,
    captures: text,
    sets: text,
    k: text,
    draws: text,
    only: text,
    "closed-world": text,
    dir: text,
    runs: text,
  };
  const { values, positionals } = parseArgs({
    args,
    options: { ...options, quick: { type: "boolean" } },
    allowPositionals: true,
  });
  const { parts, checked } = partsOf(positionals.filter((name) => name !== "learn" && name !== "blame"));
  const quick = values.quick === true || checked;
  return {
    parts,
    checked,
    kinds: kindsOf(values.kind ?? "sparse"),
    bytes: parseSize(values.size ?? (quick ? "100MB" : "1GB")),
    rounds: positive("--rounds", values.rounds ?? (quick ? "3" : "5")),
    proxyRounds: positive("--rounds", values.rounds ?? (checked ? "7" : quick ? "3" : "5")),
    seconds: positive("--seconds", values.seconds ?? (quick ? "2" : "5")),
    connections: positive("--connections", values.connections ?? "32"),
    gradings: checked ? GRADINGS.filter((name) => name !== "threads") : GRADINGS,
    disciplines: DISCIPLINES,
    ...(values.only === undefined || positionals.includes("learn") ? {} : only(values.only)),
    isQuick: quick,
    ...(values.rate === undefined ? {} : { rate: positive("--rate", values.rate) }),
    seed: positive("--seed", values.seed ?? "1"),
    json: values.json,
    captures: values.captures,
    ...(positionals.includes("learn") ? { learn: learnOrder(values) } : {}),
    ...(positionals.includes("blame") ? { blame: blameOrder(values) } : {}),
  };
}

function blameOrder({ dir, runs, seed }: Readonly<Record<string, string | boolean | undefined>>): BlameBenchOrder {
  const count = positive("--runs", String(runs ?? "20"));
  return {
    folder: typeof dir === "string" ? dir : join(benchFolder(), `blame-${process.pid}`),
    runs: count,
    seed: positive("--seed", String(seed ?? "1")),
    learnedFrom: Math.min(10, count),
  };
}

function learnOrder(values: Readonly<Record<string, string | boolean | undefined>>): LearnBenchOrder {
  const { sets, k, draws, seed, only, "closed-world": closed } = values;
  if (typeof sets !== "string") throw new Error("learn needs --sets DIR");
  const list = (text: unknown): string[] => (typeof text === "string" ? text.split(",") : []);
  const wrong = list(k).find((one) => !/^(?:[^=]+=)?[1-9][0-9]?$/.test(one));
  if (wrong !== undefined) throw new Error(`--k takes numbers such as 3 or NAME=2, got "${wrong}"`);
  return {
    sets,
    k: list(k),
    only: list(only),
    draws: positive("--draws", String(draws ?? "20")),
    seed: positive("--seed", String(seed ?? "1")),
    closedWorld: list(closed),
  };
}

function partsOf(names: readonly string[]): { parts: readonly Part[]; checked: boolean } {
  const unknown = names.find((name) => name !== "floors" && !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`no bench is called "${unknown}"`);
  const parts = PARTS.filter((part) => names.includes(part));
  return { parts: parts.length === 0 ? PARTS : parts, checked: names.includes("floors") };
}

function kindsOf(list: string): LogKind[] {
  const known = Object.keys(LOG_KINDS) as LogKind[];
  if (list === "all") return known;
  return list.split(",").map((name) => {
    const kind = known.find((candidate) => candidate === name);
    if (kind === undefined) throw new Error(`no kind of log is called "${name}"`);
    return kind;
  });
}

function only(list: string): Pick<Order, "gradings" | "disciplines"> {
  const names = list.split(",");
  const known: readonly string[] = [...GRADINGS, ...DISCIPLINES.map(({ name }) => name)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--only: nothing is called "${unknown}"`);
  return {
    gradings: GRADINGS.filter((name) => names.includes(name)),
    disciplines: DISCIPLINES.filter(({ name }) => names.includes(name)),
  };
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${option} takes a whole number over 0, got "${text}"`);
}

async function run(order: Order): Promise<BenchResults> {
  let results: BenchResults = {};
  if (order.parts.includes("grade")) {
    results = { ...results, ...(await benchGrading(order, (text) => void process.stdout.write(text))) };
  }
  if (order.parts.includes("proxy")) {
    results = { ...results, ...(await proxyResults(order)) };
  }
  if (order.parts.includes("memory")) {
    const memory = await benchMemory(memoryOptions(order.seed, order.isQuick));
    results = { ...results, memory };
    process.stdout.write(`\n${memoryTable(memory)}`);
  }
  if (order.parts.includes("decode")) {
    const decode = benchDecode(order.captures);
    results = { ...results, decode };
    process.stdout.write(`\n${decodeTable(decode)}`);
  }
  return results;
}

/** All loads with their goals; where floors are checked, the first one alone. */
async function proxyResults(order: Order): Promise<Pick<BenchResults, "proxy" | "loads">> {
  const options = { ...order, rounds: order.proxyRounds, bodyBytes: 2048 };
  if (order.checked) {
    const proxy = await benchProxy(options);
    process.stdout.write(`\n${figuresTable(proxy, DISCIPLINES[0]?.figures ?? [])}`);
    return { proxy };
  }
  const results: DisciplineResult[] = [];
  for (const discipline of order.disciplines) {
    const result = await benchDiscipline(discipline, options);
    process.stdout.write(`\n${disciplineTable(result)}`);
    if (discipline.name === "new-hosts") {
      const { certificateMs, contextMs } = await benchCertificates();
      const both = `${contextMs.toFixed(2)} ms with its context of TLS`;
      process.stdout.write(`a certificate takes ${certificateMs.toFixed(2)} ms (median; goal < 5), ${both}\n`);
    }
    results.push(result);
  }
  const measured = new Map(
    results.map(({ discipline, rows }): [string, readonly ProxyRow[]] => [discipline.name, rows]),
  );
  process.stdout.write(`\n${proxyGoals(measured)}`);
  const loads = results.map(({ discipline, rows, skipped }) => ({ name: discipline.name, rows, skipped }));
  return { loads, ...(measured.has("keep-alive") ? { proxy: measured.get("keep-alive") ?? [] } : {}) };
}

async function main(): Promise<void> {
  let order: Order;
  try {
    order = readOrder(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (order.learn !== undefined) {
    const learn = benchLearn(order.learn, (table) => void process.stdout.write(`${table}\n`));
    if (order.json !== undefined) writeFileSync(order.json, `${JSON.stringify({ learn }, null, 2)}\n`);
    return;
  }
  if (order.blame !== undefined) {
    const blame = await benchBlame(order.blame, (table) => void process.stdout.write(`${table}\n`));
    if (order.json !== undefined) writeFileSync(order.json, `${JSON.stringify({ blame }, null, 2)}\n`);
    return;
  }
  goFirst();
  const results = await run(order);
  if (order.json !== undefined) writeFileSync(order.json, `${JSON.stringify(results, null, 2)}\n`);
  if (!order.checked) return;
  const missed = shortfalls(results);
  process.stdout.write(
    missed.length === 0 ? "\nall floors hold\n" : `\n${missed.map((line) => `under the floor: ${line}\n`).join("")}`,
  );
  process.exitCode = missed.length === 0 ? 0 : 1;
}

await main();
