import { asText, plural } from "../grader/report/text.ts";
import type { Review } from "../grader/store/store.ts";
import { labelTrial, reviewTrial } from "../grader/trials/annotate.ts";
import { attachEvidence } from "../grader/trials/attach.ts";
import { selectTrial, selectTrials, type TrialSources } from "../grader/trials/select.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { isArchive } from "../grader/trials/unpacked.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import type { JsonObject } from "../proxy/record/json.ts";
import { stringifyJson } from "../proxy/record/json.ts";
import type { RunsCall } from "./runs.ts";
import { withSources } from "./runs-open.ts";

/** `waymark runs attach RUN FILE..`. */
export async function attachFiles({ words, args, terminal }: RunsCall): Promise<number> {
  const [word = "", ...files] = words;
  const [kind, at] = [args.text("kind"), timeOption("at", args.text("at"))];
  return withSources(args, "change", async (sources) => {
    const trial = await selectTrial(notZip(word), sources);
    const order = { files, ...(kind === undefined ? {} : { kind }), ...(at === undefined ? {} : { at }) };
    const { artifacts } = await attachEvidence(trial, order, sources);
    const { id } = trial.manifest;
    if (args.flag("json")) {
      terminal.out(`${stringifyJson({ schema: "waymark.attached/1", run: id, artifacts } as unknown as JsonObject)}\n`);
    } else
      for (const { kind, path } of artifacts) terminal.out(`attached to ${id}: ${asText(path)} (${asText(kind)})\n`);
    return 0;
  });
}

/** `waymark runs review RUN pass|fail`, or with `--undo` none of both. */
export async function reviewRuns({ words, args, terminal }: RunsCall): Promise<number> {
  const [word = "", said] = words;
  const review = reviewOf(said, { undo: args.flag("undo") === true, note: args.text("note") });
  return change({ word, args, terminal, words }, (trial, sources) => {
    reviewTrial(trial, review, sources);
    const verdict = trial.results.map((result) => result.verdict).join(", ");
    return review === undefined ? "review taken back" : `reviewed as ${review.verdict}; the grade stays ${verdict}`;
  });
}

function reviewOf(
  said: string | undefined,
  { undo, note }: { undo: boolean; note: string | undefined },
): Review | undefined {
  if (undo && said === undefined && note === undefined) return undefined;
  if (undo || (said !== "pass" && said !== "fail")) {
    throw waymarkError("WM_USAGE", `a review is pass or fail, got ${said === undefined ? "nothing" : `"${said}"`}`, {
      fix: "Use it as `waymark runs review RUN pass|fail --note TEXT`, or `waymark runs review RUN --undo`.",
    });
  }
  return { verdict: said, at: new Date().toISOString(), ...(note === undefined ? {} : { note }) };
}

/** `waymark runs label RUN NAME..`. */
export async function labelRuns(call: RunsCall): Promise<number> {
  const [word = "", ...names] = call.words;
  const remove = call.args.flag("remove") === true;
  return change({ ...call, word }, (trial, sources) => {
    const { manifest } = labelTrial(trial, { names, remove }, sources);
    return manifest.labels.length === 0 ? "no labels" : `labels ${manifest.labels.join(" ")}`;
  });
}

/** Changes each run that a word names, and says what became of it. */
async function change(
  { word, args, terminal }: RunsCall & { readonly word: string },
  alter: (trial: Trial, sources: TrialSources) => string,
): Promise<number> {
  return withSources(args, "change", async (sources) => {
    const trials = await selectTrials([notZip(word)], sources);
    const said = trials.map((trial) => ({ run: trial.manifest.id, text: alter(trial, sources) }));
    if (args.flag("json")) terminal.out(`${JSON.stringify({ schema: "waymark.changed/1", changed: said })}\n`);
    else if (!args.flag("quiet")) {
      for (const { run, text } of said) terminal.out(`${asText(run)}: ${asText(text)}\n`);
      if (said.length > 1) terminal.out(`${plural(said.length, "run")}\n`);
    }
    return 0;
  });
}

/** A run in a zip is only looked at; it is imported before anything is hung on it. */
export function notZip(word: string): string {
  if (!isArchive(word)) return word;
  throw waymarkError("WM_USAGE", `${word} is an archive, in which nothing is changed`, {
    fix: `Import it first: \`waymark runs import ${word}\`.`,
  });
}

/** An ISO time, as `toISOString` writes it; throws `WM_USAGE` on anything else. */
export function timeOption(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:?[0-9]{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw waymarkError("WM_USAGE", `--${name} got "${text}", which is no ISO time`, {
    fix: `Write it like --${name} 2026-01-31T12:00:00.000Z, with its zone.`,
  });
}
