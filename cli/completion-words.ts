import { existsSync } from "node:fs";
import { findDefaults } from "./settings.ts";
import type { Terminal } from "./terminal.ts";
import { COMMON_OPTIONS, type OptionSpec, type Verb } from "./verb.ts";
import { VERBS } from "./verbs.ts";

type Options = Readonly<Record<string, OptionSpec>>;

/** What a verb takes as its first word, where that is one of a few. */
const FIRST_WORDS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  help: async () => VERBS.map(({ name }) => name),
  config: async () => ["show", "path"],
  completion: async () => ["bash", "zsh", "fish", "pwsh"],
  schema: async () => Object.keys((await import("./schema.ts")).SCHEMAS),
  runs: async () => Object.keys((await import("./runs.ts")).ACTIONS),
  events: async () => ["tail", "query", "stats"],
  changes: async () => ["list", "add"],
};

/** Verbs whose words name runs. */
const TAKE_RUNS = ["explain", "regrade", "report", "compare", "learn", "mutate"];
const RUN_OPTIONS = ["again", "runs", "negative", "add", "explain"];
const RUN_WORDS = ["latest", "latest-failed", "good"];
const MOST_RUNS = 20;

const VALUES: Readonly<Record<string, readonly string[]>> = {
  gate: ["all", "any", "4/5", "80%", "lower:60%"],
  evidence: ["on", "on-fail", "off"],
  provenance: ["live", "replay", "simulated"],
  verdict: ["pass", "fail", "inconclusive", "error"],
  shell: ["bash", "zsh", "fish", "pwsh"],
  reporter: ["auto", "pretty", "plain", "agent", "json", "ndjson", "junit", "github", "markdown", "html", "tap"],
};

/**
 * What the last of these words may become, in the order to be shown; none where a file is as good a guess. Never throws:
 * whoever presses the tab key wants no error.
 */
export async function completionsFor(words: readonly string[], env: Terminal["env"]): Promise<readonly string[]> {
  const typed = words.at(-1) ?? "";
  // --option=value is completed as --option value is
  const [, option, value] = /^(--[a-z-]+)=([\s\S]*)$/.exec(typed) ?? [];
  try {
    const found =
      option === undefined
        ? await candidates(words, env)
        : (await candidates([...words.slice(0, -1), option, value ?? ""], env)).map((word) => `${option}=${word}`);
    return found.filter((word) => word.startsWith(typed) && !/[\p{Cc}\p{Cf}]/u.test(word));
  } catch {
    return [];
  }
}

async function candidates(words: readonly string[], env: Terminal["env"]): Promise<readonly string[]> {
  const [name = "", ...rest] = words;
  if (words.length < 2) return VERBS.map((verb) => verb.name);
  if (rest.slice(0, -1).includes("--")) return [];
  const verb = await VERBS.find((one) => one.name === name)?.load();
  if (verb === undefined) return [];
  const options: Options = { ...verb.options, ...COMMON_OPTIONS };
  const before = rest.at(-2) ?? "";
  const typed = rest.at(-1) ?? "";
  const open = optionNamed(before, options);
  if (open !== undefined && open[1].kind !== "flag") return valuesOf(open[0], { verb, words: rest, env });
  if (typed.startsWith("-")) return flagsOf(options);
  return wordsOf({ verb, words: rest, env });
}

function optionNamed(word: string, options: Options): readonly [string, OptionSpec] | undefined {
  return Object.entries(options).find(
    ([name, { alias }]) => word === `--${name}` || (alias !== undefined && word === `-${alias}`),
  );
}

function flagsOf(options: Options): readonly string[] {
  return [...Object.keys(options), "help"].map((name) => `--${name}`);
}

interface Asked {
  readonly verb: Verb;
  readonly words: readonly string[];
  readonly env: Terminal["env"];
}

async function valuesOf(option: string, asked: Asked): Promise<readonly string[]> {
  if (option === "scenario") return scenarioNames(asked);
  if (option === "profile") return profileNames(asked);
  if (option === "label") return labels(asked);
  if (RUN_OPTIONS.includes(option) && asked.verb.options[option]?.value === "RUN") return runWords(asked);
  return VALUES[option] ?? [];
}

async function wordsOf(asked: Asked): Promise<readonly string[]> {
  const { verb, words } = asked;
  const first = FIRST_WORDS[verb.name];
  if (first !== undefined && words.length === 1) return first();
  if (verb.name === "config") return VERBS.map(({ name }) => name);
  return TAKE_RUNS.includes(verb.name) || verb.name === "runs" ? runWords(asked) : [];
}

async function scenarioNames({ words, verb, env }: Asked): Promise<readonly string[]> {
  const { findScenarios } = await import("../grader/scenario/find.ts");
  const folder = await textFor("markers", { words, verb, env }, "markers");
  const { scenarios } = await findScenarios({ folder });
  return scenarios.map(({ scenario }) => scenario.id);
}

async function profileNames({ words, env }: Asked): Promise<readonly string[]> {
  const { configFileFor } = await import("./settings.ts");
  const { parseConfig } = await import("./config-file.ts");
  const { readFileSync } = await import("node:fs");
  const file = configFileFor(behind("--config", words) ?? behind("-c", words) ?? env["WAYMARK_CONFIG"], process.cwd());
  return file === undefined ? [] : [...parseConfig(readFileSync(file, "utf8"), file).profiles.keys()];
}

/** Numbers of the newest runs, and words that name runs: as many as one looks at. */
async function runWords(asked: Asked): Promise<readonly string[]> {
  const store = await storeFor(asked);
  if (store === undefined) return [];
  try {
    const runs = store.listRuns({ limit: MOST_RUNS });
    const named = new Set(runs.flatMap(({ labels: own = [] }) => own.map((label) => `label:${label}`)));
    const batches = store.listBatches(3).map(({ id }) => `batch:${id}`);
    return [...RUN_WORDS, ...named, ...batches, ...runs.map(({ number }) => String(number))];
  } finally {
    store.close();
  }
}

async function labels(asked: Asked): Promise<readonly string[]> {
  const store = await storeFor(asked);
  if (store === undefined) return [];
  try {
    return [...new Set(store.listRuns({ limit: 200 }).flatMap(({ labels: own = [] }) => own))];
  } finally {
    store.close();
  }
}

async function storeFor(asked: Asked) {
  const dir = await textFor("dir", asked, ".waymark");
  const file = await textFor("db", asked, `${dir}/waymark.db`);
  if (!existsSync(file)) return undefined;
  const { openStore } = await import("../grader/store/store.ts");
  return openStore(file, { readonly: true });
}

async function textFor(option: string, { words, verb, env }: Asked, otherwise: string): Promise<string> {
  const given = behind(`--${option}`, words);
  if (given !== undefined) return given;
  const spec = verb.options[option];
  if (spec === undefined) return otherwise;
  const config = behind("--config", words) ?? behind("-c", words);
  const found = (await findDefaults({ env, config })).find(verb.name, option, spec)?.value;
  return typeof found === "string" ? found : otherwise;
}

function behind(option: string, words: readonly string[]): string | undefined {
  const at = words.indexOf(option);
  return at >= 0 && at < words.length - 2 ? words[at + 1] : undefined;
}
