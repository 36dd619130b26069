import { existsSync } from "node:fs";
import type { PictureReader } from "../grader/learn/pictures/read.ts";
import type { HeldRun } from "../grader/learn/predict.ts";
import type { LocatedRun } from "../grader/learn/read-runs.ts";
import { DEFAULT_DB } from "./defaults.ts";
import type { Arguments } from "./verb.ts";

/** Finds and reads the runs that a command line names. */
export interface RunSources {
  locate(words: readonly string[]): Promise<readonly LocatedRun[]>;
  hold(words: readonly string[]): Promise<readonly HeldRun[]>;
  /** Reads screenshots; undefined where the optional package for that is not installed. */
  readonly pictures: PictureReader | undefined;
  close(): void;
}

/** Stored runs can be named where there is a database; logs and run folders always. */
export async function runSources(args: Arguments): Promise<RunSources> {
  const { openPictureReader } = await import("../grader/learn/pictures/read.ts");
  const pictures = await openPictureReader();
  const { defaultRunsFolder, holdRuns, locateRuns } = await import("../grader/learn/read-runs.ts");
  const file = args.text("db") ?? DEFAULT_DB;
  const store = existsSync(file)
    ? (await import("../grader/store/store.ts")).openStore(file, { readonly: true })
    : undefined;
  const sources = store === undefined ? undefined : { store, runs: defaultRunsFolder() };
  return {
    locate: (words) => locateRuns(words, sources),
    hold: async (words) => holdRuns(await locateRuns(words, sources), pictures),
    pictures,
    close: () => store?.close(),
  };
}
