import { Distiller, type Words } from "./distil.ts";
import type { Draft } from "./draft.ts";
import { freshText } from "./edits.ts";
import { draftScenario } from "./emit.ts";
import { type LearnOptions, learnModel, type Model } from "./model.ts";
import type { HeldRun } from "./predict.ts";
import type { Corpus } from "./trace.ts";

/** What came out of learning. */
export interface Learned {
  readonly model: Model;
  readonly draft: Draft;
  /** The scenario file. */
  readonly text: string;
}

/** Learns a scenario from runs held in memory. The same runs in any order, with the same options, give the same text. */
export function learnRuns(runs: readonly HeldRun[], id: string, options: LearnOptions = {}): Learned {
  const distiller = new Distiller();
  for (const { events, params, shots } of runs) {
    const open = distiller.open();
    for (const event of events) open.event(event);
    open.end(params, shots);
  }
  return learnCorpus({ corpus: distiller.corpus(), words: distiller.words }, id, options);
}

/** Learns from distilled runs. */
export function learnCorpus(
  { corpus, words }: { readonly corpus: Corpus; readonly words: Words },
  id: string,
  options: LearnOptions = {},
): Learned {
  const model = learnModel(corpus, words, options);
  const draft = draftScenario(model, id, options);
  return { model, draft, text: freshText(draft) };
}
