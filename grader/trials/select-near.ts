import { didYouMean } from "../../proxy/record/near.ts";
import type { StoredRun } from "../store/store.ts";
import type { TrialSources } from "./select.ts";

/** Words that name runs by themselves. */
const WORDS = ["latest", "latest-failed", "good", "running"];
const KINDS = ["batch", "variant", "label", "task"];
/** Looking for near misses must not read a database of a million runs. */
const LOOKED_AT = 500;

/** ` — did you mean "label:main"?` for a word that no run answers to; "" when nothing is near. */
export function nearMisses(word: string, sources: TrialSources): string {
  const [, kind, name] = /^([a-z]+):(.*)$/s.exec(word) ?? [];
  if (kind === undefined || name === undefined) return didYouMean(word, WORDS);
  if (!KINDS.includes(kind)) return didYouMean(kind, KINDS).replace(/"(.*)"/, `"$1:${name}"`);
  const known = namesOf(kind, sources);
  const near = didYouMean(name, known).replace(/"(.*)"/s, `"${kind}:$1"`);
  return near === "" && known.length > 0 ? `; there is ${known.slice(0, 5).join(", ")}` : near;
}

/** What to do about a word that no run answers to. */
export function fixFor(word: string): string | undefined {
  return word === "good" ? "Label the runs you trust: `waymark runs label RUN good`." : undefined;
}

function namesOf(kind: string, { store }: TrialSources): readonly string[] {
  const runs = store.listRuns({ limit: LOOKED_AT });
  const names = (run: StoredRun): readonly (string | undefined)[] => {
    if (kind === "label") return store.getRun(run.id).labels;
    return [kind === "batch" ? run.batch : kind === "variant" ? run.variant : run.task];
  };
  return [...new Set(runs.flatMap(names).filter((name) => name !== undefined))];
}
