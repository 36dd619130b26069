import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { makeFolder } from "../../proxy/record/folder.ts";
import { Distiller } from "./distil.ts";
import type { Draft } from "./draft.ts";
import { freshText, rewrite, writtenNames } from "./edits.ts";
import { draftScenario } from "./emit.ts";
import { type LearnOptions, learnModel, type Model } from "./model.ts";
import { askJudge } from "./pictures/judge.ts";
import { findLooks } from "./pictures/looks.ts";
import { type LearnState, packState, resume, stateFile, unpackState } from "./state.ts";

/** A learner at work on one scenario file. */
export interface LearnSession {
  readonly distiller: Distiller;
  readonly options: LearnOptions;
  readonly before: Before | undefined;
}

/** What of the runs learned from before counts for the file that is written now. */
export type Before = Pick<LearnState, "options" | "written" | "removed">;

/** Starts anew (but for what a judge has said), or with the runs that a scenario file was learned from (throws `WM_LEARN_STATE` when they are not kept). */
export function openSession(options: LearnOptions, scenario: string | undefined, adds: boolean): LearnSession {
  const before = scenario === undefined ? undefined : readState(scenario);
  if (!adds) {
    const distiller = new Distiller();
    distiller.rule(before?.corpus.rulings ?? []);
    return { distiller, options, before: before && withoutRuns(before) };
  }
  if (before === undefined) {
    throw waymarkError(
      "WM_LEARN_STATE",
      `there is no ${scenario === undefined ? "scenario file" : stateFile(scenario)} to add a run to`,
    );
  }
  return { distiller: resume(before), options: { ...before.options, ...options }, before: withoutRuns(before) };
}

/** The runs of long logs would take their memory to the end. */
function withoutRuns({ options, written, removed }: LearnState): Before {
  return { options, written, removed };
}

/** What is kept beside a scenario file; undefined when nothing is. */
export function readState(scenario: string): LearnState | undefined {
  const file = stateFile(scenario);
  return existsSync(file) ? unpackState(readFileSync(file), file) : undefined;
}

/** Has a judge decide what the tiers left open; its answers are kept with the runs, and nobody is asked twice. */
export async function judgePictures({ distiller }: LearnSession, command: string): Promise<void> {
  const { pictures = [], rulings = [] } = distiller.corpus();
  distiller.rule(await askJudge(command, findLooks(pictures, rulings).open));
}

/** Learns from all runs of the session. */
export function finish(
  { distiller, options }: LearnSession,
  id: string,
): { readonly model: Model; readonly draft: Draft } {
  const corpus = distiller.corpus();
  if (corpus.traces.length === 0) throw waymarkError("WM_LEARN_NO_RUNS", "there is no run to learn from");
  const model = learnModel(corpus, distiller.words, options);
  return { model, draft: draftScenario(model, id, options) };
}

export interface Saved {
  readonly text: string;
  readonly kept: readonly string[];
  readonly removed: readonly string[];
}

/** Text of the scenario with the hand edits of the file that stands there. */
export function textFor(draft: Draft, file: string | undefined, before: Before | undefined): Saved {
  if (file === undefined || !existsSync(file)) return { text: freshText(draft), kept: [], removed: [] };
  const written = before?.written ?? [];
  return rewrite(draft, { text: readFileSync(file, "utf8"), written, removed: before?.removed ?? [] });
}

/** Writes the scenario and, beside it, what adding a run later needs; each file whole or not at all. */
export function save(
  file: string,
  { text, removed }: Saved,
  { draft, session }: { readonly draft: Draft; readonly session: LearnSession },
): void {
  const { distiller, options } = session;
  const state = packState({
    corpus: distiller.corpus(),
    words: distiller.words,
    endless: distiller.endless,
    options,
    written: writtenNames(draft).filter((name) => !removed.includes(name)),
    removed,
  });
  try {
    makeFolder(dirname(file));
    writeWhole(file, text);
    writeWhole(stateFile(file), state);
  } catch (cause) {
    throw waymarkError("WM_OUTPUT_FAILED", `${file} could not be written`, { cause });
  }
}

/** Writes a file whole or not at all. */
export function writeWhole(file: string, content: string | Buffer): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}
