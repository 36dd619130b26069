import { type MutationScore, scoreScenario } from "../../grader/learn/mutate/score.ts";
import { createSubject, type Subject } from "../../grader/learn/mutate/subject.ts";
import { synthesiseRuns } from "../../grader/learn/mutate/synthesise.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { type BareScenario, bareText } from "./scenario.ts";

/** A scenario under test, from its parts. */
export function subjectOf(bare: BareScenario): Subject {
  return createSubject(parseScenario(bareText(bare), "case.yaml"), new Map());
}

/** Mutates one run, or runs made up where none is given. */
export async function scoreOf(bare: BareScenario, events?: readonly JsonObject[], seed = 1): Promise<MutationScore> {
  const subject = subjectOf(bare);
  const params = new Map();
  const runs =
    events === undefined
      ? (await synthesiseRuns(subject)).map((run) => ({ ...run, params }))
      : [{ name: "run", events, params }];
  return scoreScenario(subject, runs, seed);
}

/** What became of the marker or rule of that name. */
export function itemNamed({ items }: MutationScore, name: string) {
  const found = items.find(({ target }) => target.name === name);
  if (found === undefined) throw new Error(`no item ${name}`);
  return found;
}
