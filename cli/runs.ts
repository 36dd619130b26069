import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { RUNS_OPTIONS } from "./runs-options.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

/** What one of the words behind `runs` gets: the words behind it, the options, the terminal. */
export interface RunsCall {
  readonly words: readonly string[];
  readonly args: Arguments;
  readonly terminal: Terminal;
}

interface Action {
  readonly usage: string;
  readonly words: readonly [least: number, most: number];
  /** Loads its file only when it is used. */
  readonly load: () => Promise<(call: RunsCall) => Promise<number>>;
}

const MANY = Number.POSITIVE_INFINITY;

export const ACTIONS: Readonly<Record<string, Action>> = {
  list: { usage: "list", words: [0, 0], load: async () => (await import("./runs-list.ts")).listRuns },
  show: { usage: "show RUN..", words: [1, MANY], load: async () => (await import("./runs-show.ts")).showRuns },
  start: { usage: "start", words: [0, 0], load: async () => (await import("./runs-live.ts")).startRun },
  stop: { usage: "stop [RUN]", words: [0, 1], load: async () => (await import("./runs-live.ts")).stopRun },
  attach: {
    usage: "attach RUN FILE..",
    words: [2, MANY],
    load: async () => (await import("./runs-annotate.ts")).attachFiles,
  },
  review: {
    usage: "review RUN pass|fail",
    words: [1, 2],
    load: async () => (await import("./runs-annotate.ts")).reviewRuns,
  },
  label: {
    usage: "label RUN NAME..",
    words: [2, MANY],
    load: async () => (await import("./runs-annotate.ts")).labelRuns,
  },
  export: { usage: "export RUN..", words: [1, MANY], load: async () => (await import("./runs-archive.ts")).exportRuns },
  import: { usage: "import FILE.zip", words: [1, 1], load: async () => (await import("./runs-archive.ts")).importRuns },
  rebuild: { usage: "rebuild", words: [0, 0], load: async () => (await import("./runs-archive.ts")).rebuildRuns },
  prune: { usage: "prune", words: [0, 0], load: async () => (await import("./runs-remove.ts")).pruneRuns },
  rm: { usage: "rm RUN..", words: [1, MANY], load: async () => (await import("./runs-remove.ts")).removeRuns },
};

export const runs: Verb = {
  name: "runs",
  usage: `runs ${Object.keys(ACTIONS).join("|")}`,
  describe:
    "What is kept of runs. RUN is latest, latest-failed, good, running, a number (12 or '#12'), 3..7, an id or its beginning, batch:ID, variant:NAME, label:NAME, task:NAME, the path of a run's folder or of an exported zip, or several of these with commas.",
  options: RUNS_OPTIONS,
  examples: [
    ["waymark runs list --failed --last 10", "the last ten that failed"],
    ["waymark runs show latest", "the last run, with its markers and its evidence"],
    ["waymark runs start -s checkout", "a run of an app that runs beside `waymark proxy`; runs stop grades it"],
    ["waymark runs review 12 fail --note 'wrong chat'", "a person's word, beside the grade"],
    ["waymark runs attach latest screen.mp4 --at 2026-01-31T12:00:00Z", "a video somebody else recorded"],
    ["waymark runs export label:main -o main.zip", "for another machine; runs import takes it"],
    ["waymark runs prune --older-than 30d --keep 50", "what nobody needs any more"],
  ],
  async run(args, terminal) {
    const [name = "list", ...words] = args.positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) throw unknownAction(name);
    const [least, most] = action.words;
    if (words.length < least || words.length > most) {
      const got = words.length === 0 ? "nothing" : `${words.length} word${words.length === 1 ? "" : "s"}`;
      throw waymarkError("WM_USAGE", `waymark runs ${name} got ${got} behind it`, {
        fix: `Use it as \`waymark runs ${action.usage}\`.`,
      });
    }
    return (await action.load())({ words, args, terminal });
  },
};

function unknownAction(name: string): Error {
  const known = Object.keys(ACTIONS);
  return waymarkError("WM_USAGE", `waymark runs knows no "${name}"${didYouMean(name, known)}`, {
    fix: `Known: ${known.join(", ")}.`,
  });
}
