import { dirname, join } from "node:path";
import { type Fault, fault, WaymarkError } from "../proxy/record/fault.ts";
import { gradeLogs } from "./grade.ts";
import type { ExampleNode } from "./scenario/ast.ts";
import type { LoadedScenario } from "./scenario/load.ts";
import type { Verdict } from "./verdict.ts";

/** What an example with a mutation got, or why the mutation cannot be made. */
export type MutatedVerdict =
  | { readonly kind: "graded"; readonly verdict: Verdict; readonly reason: string }
  | { readonly kind: "problem"; readonly why: string };

/** Makes a mutation of a capture and grades what comes of it (`grader/learn/mutate`). */
export type GradeMutated = (loaded: LoadedScenario, log: string, mutation: string) => Promise<MutatedVerdict>;

/**
 * Grades a scenario's own `examples:` (captures beside its file) and reports those that do not get their verdict, those
 * with a `mutate` after that change, and those whose mutation cannot be made.
 */
export async function exampleFaults(loaded: LoadedScenario, gradeMutated: GradeMutated): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const example of loaded.scenario.examples) {
    const message = await complaint(loaded, example, gradeMutated);
    const { place } = example;
    if (message !== undefined) {
      faults.push(fault("WM_SCENARIO_EXAMPLE", message, { place, text: loaded.texts.get(place.file) }));
    }
  }
  return faults;
}

async function complaint(
  loaded: LoadedScenario,
  { capture, mutate, verdict }: ExampleNode,
  gradeMutated: GradeMutated,
): Promise<string | undefined> {
  const log = join(dirname(loaded.file), capture);
  const name = mutate === undefined ? `the example "${capture}"` : `the example "${capture}" with "${mutate}"`;
  const got =
    mutate === undefined ? await verdictOf(log, loaded) : await attempt(loaded, log, { mutate, gradeMutated });
  if (got.kind === "problem") return `${name} cannot be made: ${got.why}`;
  return got.verdict === verdict ? undefined : `${name} should be ${verdict}, but is ${got.verdict}: ${got.reason}`;
}

/** A capture that cannot be read is one more fault of the file, beside the others. */
async function attempt(
  loaded: LoadedScenario,
  log: string,
  { mutate, gradeMutated }: { readonly mutate: string; readonly gradeMutated: GradeMutated },
): Promise<MutatedVerdict> {
  try {
    return await gradeMutated(loaded, log, mutate);
  } catch (error) {
    if (!(error instanceof WaymarkError)) throw error;
    return { kind: "problem", why: error.faults.map(({ message }) => message).join("; ") };
  }
}

async function verdictOf(log: string, { scenario, texts }: LoadedScenario): Promise<MutatedVerdict> {
  const { document } = await gradeLogs({ logs: [log], scenarios: [{ scenario, texts }] });
  return { kind: "graded", verdict: document.verdict, reason: document.results[0]?.reason ?? "nothing was graded" };
}
