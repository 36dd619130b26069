import { createInterface } from "node:readline/promises";
import { asText, plural } from "../grader/report/text.ts";
import { type PruneRule, removeFolder, removeTrials, runsToPrune } from "../grader/trials/prune.ts";
import { damagedFolders } from "../grader/trials/rebuild.ts";
import { selectTrials, type TrialSources, trialsOf, ungradedTrials } from "../grader/trials/select.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { durationMs, wholeNumber } from "./quantities.ts";
import type { RunsCall } from "./runs.ts";
import { notZip } from "./runs-annotate.ts";
import { verdictOption } from "./runs-list.ts";
import { withSources } from "./runs-open.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/** `waymark runs rm RUN..`. A run under way goes only with `--yes`, for one whose waymark has died. */
export async function removeRuns({ words, args, terminal }: RunsCall): Promise<number> {
  return withSources(args, "change", async (sources) => {
    const trials = await selectTrials(words.map(notZip), sources);
    const running = trials.find(({ manifest }) => manifest.state === "running");
    if (running !== undefined && args.flag("yes") !== true) {
      throw waymarkError("WM_RUN_RUNNING", `run ${running.manifest.id} is still under way`);
    }
    return remove({ trials, folders: [] }, { args, terminal, sources });
  });
}

/** `waymark runs prune`. */
export async function pruneRuns({ args, terminal }: RunsCall): Promise<number> {
  const rule = ruleOf(args);
  const isDamaged = args.flag("damaged") === true;
  if (rule === undefined && !isDamaged) {
    throw waymarkError("WM_USAGE", "waymark runs prune needs to know what may go", {
      fix: "Give at least one of --keep, --older-than, --verdict and --damaged.",
    });
  }
  return withSources(args, "change", async (sources) => {
    const all = [...trialsOf([...sources.store.listRuns()].reverse(), sources), ...ungradedTrials(sources)];
    const trials = rule === undefined ? [] : runsToPrune(all, rule, Date.now());
    const folders = isDamaged ? damagedFolders(sources.runs, Date.now()) : [];
    return remove({ trials, folders }, { args, terminal, sources });
  });
}

function ruleOf(args: Arguments): PruneRule | undefined {
  const [keep, older, verdict] = [args.text("keep"), args.text("older-than"), verdictOption(args)];
  if (keep === undefined && older === undefined && verdict === undefined) return undefined;
  return {
    ...(keep === undefined ? {} : { keep: wholeNumber("keep", keep, { min: 0, max: 1_000_000_000 }) }),
    ...(older === undefined ? {} : { olderThanMs: durationMs("older-than", older) }),
    ...(verdict === undefined ? {} : { verdict }),
    labelled: args.flag("labelled") === true,
  };
}

interface Doomed {
  readonly trials: readonly Trial[];
  /** Folders that cannot be read as runs. */
  readonly folders: readonly string[];
}

interface Surroundings {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly sources: TrialSources;
}

async function remove({ trials, folders }: Doomed, { args, terminal, sources }: Surroundings): Promise<number> {
  const names = [...trials.map(({ manifest }) => manifest.id), ...folders];
  const isDry = args.flag("dry-run") === true;
  const say = args.flag("json") ? terminal.err : terminal.out;
  if (!isDry && names.length > 0 && !(await isWanted(names, args, terminal))) return 1;
  if (!isDry) {
    removeTrials(trials, sources);
    for (const folder of folders) removeFolder(folder);
  }
  if (args.flag("json")) {
    terminal.out(`${JSON.stringify({ schema: "waymark.removed/1", dry_run: isDry, removed: names })}\n`);
  } else if (args.flag("verbose") || isDry) for (const name of names) say(`${asText(name)}\n`);
  say(`${plural(names.length, "run")} ${isDry ? "would be removed" : "removed"}\n`);
  return 0;
}

/** Asks on a terminal; elsewhere nothing is removed without `--yes`. */
async function isWanted(names: readonly string[], args: Arguments, terminal: Terminal): Promise<boolean> {
  if (args.flag("yes") === true) return true;
  if (process.stdin.isTTY !== true || !terminal.errIsTerminal) {
    throw waymarkError("WM_USAGE", `${plural(names.length, "run")} would be removed for good`, {
      fix: "Say --yes to remove them, or --dry-run to see which.",
    });
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(
      `Remove ${plural(names.length, "run")} (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}) for good? [y/N] `,
    );
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
