import { WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { readSeries } from "../read/read.ts";
import { findLogs } from "../read/series.ts";
import { DEFAULT_LIMITS } from "../scenario/ast.ts";
import { logOf } from "./regrade-log.ts";
import type { Trial } from "./trial.ts";

/** Names of a run that are kept; of more the beginning counts, which is told. */
const MOST_NAMES = 2000;

/** The names of a run's events, in the order of its log. */
export interface EventNames {
  readonly names: readonly string[];
  /** True when the run has more events than are kept. */
  readonly isCut: boolean;
}

/** Reads the event names of each run whose log is still there, by run id; runs without a readable log are not in it. */
export async function readEventNames(trials: readonly Trial[]): Promise<ReadonlyMap<string, EventNames>> {
  const found = new Map<string, EventNames>();
  for (const trial of trials) {
    const names = await namesOf(trial);
    if (names !== undefined) found.set(trial.manifest.id, names);
  }
  return found;
}

async function namesOf(trial: Trial): Promise<EventNames | undefined> {
  const log = await logOf(trial);
  if (log === undefined) return undefined;
  const { series } = await findLogs([log]);
  let names: string[] = [];
  let isCut = false;
  const event = ({ name }: JsonObject): void => {
    if (typeof name !== "string") return;
    if (names.length < MOST_NAMES) names.push(name);
    else isCut = true;
  };
  const restart = (): void => {
    names = [];
    isCut = false;
  };
  try {
    for (const one of series) {
      const rule = { kind: one.isNamedFile ? "from file" : "newest" } as const;
      await readSeries(one, {
        rule,
        sink: { restart, tick() {}, gap() {}, event },
        lineBytes: DEFAULT_LIMITS.lineBytes,
      });
    }
  } catch (error) {
    if (error instanceof WaymarkError) return undefined; // the run keeps its verdict and markers; only its names are gone
    throw error;
  }
  return { names, isCut };
}
