import type { Model } from "../grader/learn/model.ts";
import type { PictureReader } from "../grader/learn/pictures/read.ts";
import type { LocatedRun } from "../grader/learn/read-runs.ts";
import { asText, plural } from "../grader/report/text.ts";
import type { Terminal } from "./terminal.ts";

/** Says which screenshots are not compared, and why. */
export function warnOfPictures(
  runs: readonly LocatedRun[],
  reader: PictureReader | undefined,
  terminal: Terminal,
): void {
  const shots = runs.reduce((sum, run) => sum + run.shots.length, 0);
  if (reader === undefined && shots > 0) {
    terminal.err(
      `${plural(shots, "screenshot")} not compared: the optional package sharp is not installed (npm install sharp)\n`,
    );
  }
  for (const file of reader?.unread ?? [])
    terminal.err(`not compared, it is no picture that can be read: ${asText(file)}\n`);
}

/** What the screenshots came to, in lines. */
export function pictureLines({ corpus, looks }: Model): readonly string[] {
  const count = corpus.pictures?.length ?? 0;
  if (count === 0) return [];
  const seen = new Set([...looks.of.values()].map(({ id }) => id)).size;
  const open = looks.open.map(({ a, b, comparison }) => {
    const changed =
      comparison.changed === undefined ? "" : `, ${(100 * comparison.changed.largest).toFixed(1)} % in one piece`;
    return `  not decided, so kept apart: ${asText(a.file)} and ${asText(b.file)}${changed}`;
  });
  const help = open.length === 0 ? [] : ["  --judge CMD asks a command of yours about these"];
  return [`${plural(count, "picture")} show ${plural(seen, "look")}`, ...open, ...help];
}

/** The same for `--json`. */
export function picturesBody({ corpus, looks }: Model): Readonly<Record<string, unknown>> {
  if (corpus.pictures === undefined) return {};
  const seen = new Set([...looks.of.values()].map(({ id }) => id)).size;
  const open = looks.open.map(({ a, b, comparison }) => ({ a: a.file, b: b.file, ...comparison }));
  const pictures = { count: corpus.pictures.length, looks: seen, merged: looks.merged, open };
  return { pictures, rulings: corpus.rulings ?? [] };
}
