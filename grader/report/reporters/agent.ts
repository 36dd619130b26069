import { type Account, accountOfBatch, accountOfResults, type Outcome, troubles } from "../account.ts";
import { agentText, code } from "../agent-text.ts";
import type { Reporter } from "../reporter.ts";
import { asText, plural } from "../text.ts";

/** An agent reads every line it is given, so it gets few. */
const MOST_LINES = 60;

/** For an agent that has to go on from here: failures only, in markdown, with the next commands. */
export const agent: Reporter = {
  name: "agent",
  describe: `for an AI agent: failures only, at most ${MOST_LINES} lines of markdown, with the next commands`,
  create: ({ write }) => ({
    onEnd: (document) => write(textOf(accountOfResults(document))),
    onBatch: (document) => write(textOf(accountOfBatch(document))),
  }),
};

function textOf(account: Account): string {
  const bad = distinct(troubles(account));
  const head = [`# waymark: ${account.verdict}`, "", ...factsOf(account)];
  const tail = bad.length === 0 ? [] : ["", "Next:", ...nextCommands(bad[0]?.outcome)];
  const room = MOST_LINES - head.length - tail.length - 2;
  const body: string[] = [];
  let told = 0;
  for (const { outcome, runs } of bad) {
    const lines = ["", ...linesOf(outcome, runs)];
    if (told > 0 && body.length + lines.length > room) break;
    body.push(...lines.slice(0, room));
    told++;
  }
  const left = bad.length - told;
  const more = left === 0 ? [] : ["", `${plural(left, "other failure")} left out.`];
  return `${[...head, ...body, ...more, ...tail].join("\n")}\n`;
}

function factsOf({ gate, words, passed, graded, outcomes }: Account): readonly string[] {
  if (outcomes.length === 0) return ["Nothing was graded."];
  const [rate] = words;
  return [
    `${passed} of ${plural(outcomes.length, "run")} passed${graded === outcomes.length ? "" : `, ${outcomes.length - graded} have no grade`}.`,
    ...(gate === undefined ? [] : [`${asText(gate.words)}.`]),
    ...(rate === undefined || words.length > 12 ? [] : words.slice(0, 6).map((sentence) => `- ${asText(sentence)}`)),
  ];
}

interface Distinct {
  readonly outcome: Outcome;
  readonly runs: readonly string[];
}

/** Runs that failed in the same place are told once, with the first of them in detail. */
function distinct(outcomes: readonly Outcome[]): readonly Distinct[] {
  const found = new Map<string, { readonly outcome: Outcome; readonly runs: string[] }>();
  for (const outcome of outcomes) {
    const where = outcome.missing ?? outcome.reason;
    const key = JSON.stringify([outcome.scenario, outcome.verdict, where]);
    const known = found.get(key);
    if (known === undefined) found.set(key, { outcome, runs: [outcome.label] });
    else known.runs.push(outcome.label);
  }
  return [...found.values()];
}

function linesOf(outcome: Outcome, runs: readonly string[]): readonly string[] {
  const { result, scenario, verdict, reason, claim, agrees } = outcome;
  const lines =
    result === undefined ? [`## ${verdict}: ${code(scenario)}`, "", ...asLines(reason)] : [...agentText(result)];
  return [
    ...lines.slice(0, 24),
    ...(runs.length > 1 ? [`- the same in ${plural(runs.length, "run")}: ${asText(runs.slice(0, 8).join("; "))}`] : []),
    ...(agrees === false ? [`- the agent said ${code(claim ?? "")}, which the grade contradicts`] : []),
  ];
}

function asLines(text: string): readonly string[] {
  return text.split("\n").slice(0, 12).map(asText);
}

function nextCommands(outcome: Outcome | undefined): readonly string[] {
  const { result, missing } = outcome ?? {};
  if (result === undefined) return ["- waymark doctor", "- waymark report --open"];
  const marker = missing === undefined ? "" : ` ${quoted(missing)}`;
  return [`- waymark explain ${asText(result.run)}${marker}`, "- waymark report --open"];
}

function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${asText(name).replaceAll("'", "'\\''")}'`;
}
