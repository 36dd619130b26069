import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TrialSources } from "../grader/trials/select.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import type { Arguments } from "./verb.ts";

const DEFAULT_DIR = ".waymark";

/** Where a command line says that runs and their database are. */
export function runsPlaces(args: Arguments): { readonly db: string; readonly runs: string } {
  const [dir, db] = [args.text("dir"), args.text("db")];
  const isBeside = db !== undefined && existsSync(join(dirname(db), "runs"));
  const folder = dir ?? (isBeside ? dirname(db) : DEFAULT_DIR);
  return { db: db ?? join(folder, "waymark.db"), runs: join(folder, "runs") };
}

/** How the database is opened: only read, changed, or made when it is not there. */
export type Access = "read" | "change" | "make";

/**
 * Opens the database for as long as `use` runs. To read where there are only run folders, an empty one stands in. Throws
 * `WM_RUN_NOT_FOUND` when there is neither a database nor a run.
 */
export async function withSources<T>(
  args: Arguments,
  access: Access,
  use: (sources: TrialSources) => Promise<T>,
): Promise<T> {
  const { db, runs } = runsPlaces(args);
  const isThere = existsSync(db);
  if (!isThere && access !== "make" && !existsSync(runs) && !namesZip(args)) {
    throw waymarkError("WM_RUN_NOT_FOUND", `there is no database "${db}"; nothing was graded here yet`);
  }
  const { openStore } = await import("../grader/store/store.ts");
  const standIn = isThere || access !== "read" ? undefined : mkdtempSync(join(tmpdir(), "waymark-runs-"));
  try {
    const store =
      standIn === undefined ? openStore(db, { readonly: access === "read" }) : openStore(join(standIn, "waymark.db"));
    try {
      return await use({ store, runs });
    } finally {
      store.close();
    }
  } finally {
    if (standIn !== undefined) rmSync(standIn, { recursive: true, force: true });
  }
}

function namesZip({ positionals }: Arguments): boolean {
  return positionals.slice(1).some((word) => /\.zip$/i.test(word));
}
