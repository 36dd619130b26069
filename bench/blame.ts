import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TELEMETRY_HOST } from "../examples/chat/command.ts";
import { FAULT_VARIABLE, FAULTS, type FaultSide } from "../examples/chat/faults.ts";
import { type Blame, blameRun } from "../grader/learn/blame.ts";
import { learnRuns } from "../grader/learn/learn.ts";
import type { HeldRun } from "../grader/learn/predict.ts";
import { holdRuns, locateRuns } from "../grader/learn/read-runs.ts";
import { listTrialFolders, readTrial } from "../grader/trials/folder.ts";
import { type BlameRow, blameTable, type Cause } from "./blame-table.ts";
import { nodeProgram, runToEnd, WAYMARK } from "./processes.ts";

export interface BlameBenchOrder {
  /** Where the runs are made; those that stand there already are taken as they are. */
  readonly folder: string;
  /** Runs of each kind of run: 20 make 100 with a fault of the app, of the agent, of nobody. */
  readonly runs: number;
  readonly seed: number;
  /** So many good runs are learned from; the others are controls. */
  readonly learnedFrom: number;
}

/** Which side each kind of fault is on; a run without a fault has nobody to blame. */
const CAUSES: Readonly<Record<FaultSide, Cause>> = { app: "product", agent: "agent", nobody: "unknown" };
/** Each side has as many runs as the others, however many kinds of fault it has. */
const TASKS_PER_SIDE = 5;
const GOOD_TASKS = 2;

interface Planted {
  /** Name of the task that played it. */
  readonly task: string;
  readonly kind: string;
  readonly cause: Cause;
}

/**
 * Plays the demo's chat app and agent under the real proxy, with faults planted into one or the other, learns a scenario
 * from good runs and asks of every other run who is to blame. Throws an Error when the runs cannot be made.
 */
export async function benchBlame(order: BlameBenchOrder, show: (table: string) => void): Promise<readonly BlameRow[]> {
  const runs = join(order.folder, "runs");
  if (listTrialFolders(runs).length === 0) await play(order);
  const held = await readPlayed(runs);
  const good = held.filter(({ planted }) => planted.cause === "none").map(({ run }) => run);
  const learned = learnRuns(good.slice(0, order.learnedFrom), "chats");
  const rows = held
    .filter(({ run }) => !good.slice(0, order.learnedFrom).includes(run))
    .map(({ run, planted: { kind, cause } }): BlameRow => {
      const blame: Blame = blameRun(learned.model, learned.text, run);
      return { run: run.name, kind, planted: cause, said: blame.cause, evidence: blame.evidence };
    });
  show(blameTable(rows, order.learnedFrom));
  return rows;
}

function plan(): readonly Planted[] {
  const faults = (Object.keys(FAULTS) as readonly FaultSide[]).flatMap((side) =>
    Array.from({ length: TASKS_PER_SIDE }, (_, index): Planted => {
      const kinds: readonly string[] = FAULTS[side];
      const kind = kinds[index % kinds.length] ?? "";
      return { task: `${kind} ${index + 1}`, kind, cause: CAUSES[side] };
    }),
  );
  const good = Array.from(
    { length: GOOD_TASKS },
    (_, index): Planted => ({ task: `good ${index + 1}`, kind: "none", cause: "none" }),
  );
  return [...good, ...faults];
}

async function play({ folder, runs, seed }: BlameBenchOrder): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const tasks = join(folder, "tasks.json");
  const entries = plan().map(({ task, kind, cause }) => ({
    name: task,
    env: cause === "none" ? {} : { [FAULT_VARIABLE]: kind },
  }));
  writeFileSync(tasks, JSON.stringify(entries));
  const app = fileURLToPath(new URL("../examples/chat/main.js", import.meta.url));
  const words = ["run", "-n", String(runs), "--task", tasks, "--dir", folder, "--db", join(folder, "waymark.db")];
  const capture = ["--sink", "--host", TELEMETRY_HOST, "--settle", "idle=300ms,max=3s", "--evidence", "off"];
  const manner = ["-s", "simple_collab_switch", "--exit-zero", "--jobs", "2", "-q"];
  const program = nodeProgram(
    WAYMARK,
    [...words, ...capture, ...manner, "--", process.execPath, app, "--seed", String(seed), "--success", "1"],
    { WAYMARK_CA_DIR: join(folder, "ca") },
  );
  const { code, stderr } = await runToEnd(program);
  if (code !== 0) throw new Error(`the demo's runs ended with ${code}: ${stderr}`);
}

interface Played {
  readonly run: HeldRun;
  readonly planted: Planted;
}

/** What was played, in the order of the runs' ids, which is that of time. */
async function readPlayed(folder: string): Promise<readonly Played[]> {
  const folders = listTrialFolders(folder);
  const held = await holdRuns(await locateRuns(folders));
  const tasks = plan();
  return folders.flatMap((one, index): readonly Played[] => {
    const planted = tasks.find(({ task }) => task === readTrial(one).manifest.task);
    const run = held[index];
    return planted === undefined || run === undefined ? [] : [{ run, planted }];
  });
}
