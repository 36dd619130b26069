import { WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import { listTrialFolders, readTrial } from "./folder.ts";
import { selectTrials, type TrialSources } from "./select.ts";
import type { Trial } from "./trial.ts";

/** One side of a comparison: its name, and its runs. */
export interface Side {
  readonly name: string;
  /** As the user wrote it. */
  readonly words: string;
  readonly trials: readonly Trial[];
}

/** Where one narrowing word ends and the next begins: `batch:ID/variant:NAME`. Slashes within names stay. */
const NEXT_WORD = /\/(?=(?:batch|variant|label|task):)/;

/**
 * The two sides that words name. A side is a selector of `selectTrials`, several with commas (the runs of each), or
 * several with `/` between them (only the runs that answer to all): `batch:latest/variant:new`. A single `batch:ID` with
 * two variants is both sides. A bare name that no run answers to is a variant's, else a label's. Runs of a batch that were
 * never graded are in it as well. Throws `WM_COMPARE_SIDES` when the words make no two sides, `WM_RUN_NOT_FOUND` for a
 * word that no run answers to.
 */
export async function selectSides(words: readonly string[], sources: TrialSources): Promise<readonly [Side, Side]> {
  const [first, second, third] = words;
  if (first === undefined || third !== undefined) {
    throw waymarkError("WM_COMPARE_SIDES", `a comparison takes two sides, got ${words.length}`);
  }
  if (second === undefined) return variantsOf(first, await sideTrials(first, sources));
  const [a, b] = [await sideNamed(first, sources), await sideNamed(second, sources)];
  const names = [nameOf(first), nameOf(second)] as const;
  const isTelling = names[0] !== names[1];
  return [
    { name: isTelling ? names[0] : first, words: first, trials: a },
    { name: isTelling ? names[1] : second, words: second, trials: b },
  ];
}

function variantsOf(words: string, trials: readonly Trial[]): readonly [Side, Side] {
  const names = [...new Set(trials.map(({ manifest }) => manifest.variant))];
  const [a, b, c] = names;
  if (names.length !== 2 || a === undefined || b === undefined) {
    const has =
      names.length === 0 ? "no run" : `${names.length} variants (${names.map((name) => name ?? "none").join(", ")})`;
    const fix =
      c === undefined
        ? undefined
        : `Name two: \`waymark compare ${words}/variant:${a ?? ""} ${words}/variant:${b ?? ""}\`.`;
    throw waymarkError("WM_COMPARE_SIDES", `"${words}" alone makes two sides only with two variants; it has ${has}`, {
      fix,
    });
  }
  const side = (name: string): Side => ({
    name,
    words: `${words}/variant:${name}`,
    trials: trials.filter(({ manifest }) => manifest.variant === name),
  });
  return [side(a), side(b)];
}

async function sideNamed(words: string, sources: TrialSources): Promise<readonly Trial[]> {
  try {
    return await sideTrials(words, sources);
  } catch (cause) {
    if (!(cause instanceof WaymarkError) || cause.code !== "WM_RUN_NOT_FOUND") throw cause;
    const kinds = ["variant", "label"] as const;
    const kind = kinds.find((one) => sources.store.listRuns({ [one]: words, limit: 1 }).length > 0);
    if (kind === undefined) throw cause;
    return sideTrials(`${kind}:${words}`, sources);
  }
}

/** The variant's name says most; then whatever was written. */
function nameOf(words: string): string {
  return /(?:^|\/)variant:([^,]+?)(?=$|\/(?:batch|label|task):)/.exec(words)?.[1] ?? words;
}

/** The runs that words name, as a side of a comparison does (`selectSides`), each once. */
export async function selectRuns(words: readonly string[], sources: TrialSources): Promise<readonly Trial[]> {
  const trials = new Map<string, Trial>();
  for (const word of words) for (const trial of await sideNamed(word, sources)) trials.set(trial.manifest.id, trial);
  return [...trials.values()];
}

async function sideTrials(words: string, sources: TrialSources): Promise<readonly Trial[]> {
  const parts = words.split(",").filter((part) => part !== "");
  if (parts.length === 0) throw waymarkError("WM_COMPARE_SIDES", "a side of the comparison is empty");
  const trials = new Map<string, Trial>();
  for (const part of parts) for (const trial of await narrowed(part, sources)) trials.set(trial.manifest.id, trial);
  return [...trials.values()];
}

async function narrowed(part: string, sources: TrialSources): Promise<readonly Trial[]> {
  const words = part.split(NEXT_WORD);
  const sets: (readonly Trial[])[] = [];
  for (const word of words) sets.push(await selectTrials([word], sources));
  const [first = [], ...others] = sets;
  const graded = first.filter(({ manifest: { id } }) =>
    others.every((other) => other.some(({ manifest }) => manifest.id === id)),
  );
  const all = [...graded, ...ungradedOf(words, graded, sources)];
  if (all.length === 0) throw waymarkError("WM_RUN_NOT_FOUND", `no stored run answers to all of "${part}"`);
  return all;
}

/** Runs of a batch that ended before they could be graded stand in their folders only. */
function ungradedOf(
  words: readonly string[],
  graded: readonly Trial[],
  { store, runs }: TrialSources,
): readonly Trial[] {
  if (!words.some((word) => word.startsWith("batch:"))) return [];
  const known = new Set(graded.map(({ manifest }) => manifest.id));
  return listTrialFolders(runs).flatMap((folder) => {
    const trial = readable(folder);
    if (trial === undefined || trial.results.length > 0 || known.has(trial.manifest.id)) return [];
    return words.every((word) => answersTo(word, trial, store.listBatches(1)[0]?.id)) ? [trial] : [];
  });
}

function readable(folder: string): Trial | undefined {
  try {
    return readTrial(folder);
  } catch (error) {
    if (error instanceof WaymarkError) return undefined; // it cannot say whose it is; `waymark runs` tells of it
    throw error;
  }
}

function answersTo(word: string, { manifest }: Trial, latest: string | undefined): boolean {
  const [, kind, name = ""] = /^(batch|variant|label|task):(.+)$/s.exec(word) ?? [];
  if (kind === "batch") return manifest.batch === (name === "latest" ? latest : name);
  if (kind === "label") return manifest.labels.includes(name);
  return kind === "variant" ? manifest.variant === name : manifest.task === name;
}
