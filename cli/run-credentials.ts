import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { placesIn } from "../grader/trials/folder.ts";
import { waymarkError } from "../proxy/record/fault.ts";

/** As `grader/run-id.ts` makes them; nothing else may become part of a path. */
const RUN_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** Tells the run a user name in proxy credentials stands for: the id of one whose folder stands in `runs`. */
export function runsByToken(runs: string): (user: string) => string | undefined {
  return (user) => (isRun(runs, user) ? user : undefined);
}

/** The whole id of the run in `runs` that `word` is the id of, or the beginning of it. Throws `WM_RUN_NOT_FOUND`. */
export function tokenOf(runs: string, word: string): string {
  const found = existsSync(runs)
    ? readdirSync(runs).filter((name) => name.startsWith(word.toUpperCase()) && isRun(runs, name))
    : [];
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const why = only === undefined ? `no run in ${runs} has` : `several runs in ${runs} have`;
  throw waymarkError("WM_RUN_NOT_FOUND", `${why} an id that begins with "${word}"`, {
    fix: "`waymark runs start` begins a run and says its id.",
  });
}

function isRun(runs: string, id: string): boolean {
  return RUN_ID.test(id) && existsSync(placesIn(join(runs, id)).manifest);
}
