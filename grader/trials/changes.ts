import type { Change, Store } from "../store/store.ts";

/** What a run ran with, by element. */
export type Versions = Readonly<Record<string, string>>;

export interface ChangeContext {
  /** ISO time of the run. */
  readonly at: string;
  /** How much an element changed, where somebody can tell (`gitLinesChanged`). */
  readonly sizeOf?: (element: string, from: string, to: string) => Promise<number | undefined>;
}

/** Runs looked back over for what was last known of each element. */
const LOOK_BACK = 50;

/**
 * What was last known of each element in earlier runs of a scenario and variant: the newest run's versions, and for what it
 * does not name those of the runs before it. Empty without earlier runs.
 */
export function previousVersions(store: Pick<Store, "listRuns">, of: { scenario: string; variant?: string }): Versions {
  const runs = store.listRuns({ ...of, limit: LOOK_BACK });
  const own = runs.filter(({ variant }) => variant === of.variant);
  return Object.fromEntries([...own].reverse().flatMap(({ versions }) => Object.entries(versions ?? {})));
}

/**
 * Writes a row of kind `version` into the ledger for each element whose version is another one than before, and answers what
 * was written. What is named for the first time, or not any more, has not been seen to change. A change is written
 * once, however many scenarios and variants saw it: not when the element's last row says the same version already.
 */
export async function recordVersionChanges(
  store: Pick<Store, "addChange" | "listChanges">,
  versions: { readonly previous: Versions; readonly current: Versions },
  { at, sizeOf }: ChangeContext,
): Promise<readonly Change[]> {
  const { previous, current } = versions;
  const latest = new Map(
    store.listChanges().flatMap(({ element, kind, hash }) => (kind === "version" ? [[element, hash]] : [])),
  );
  const written: Change[] = [];
  for (const [element, to] of Object.entries(current)) {
    const from = Object.hasOwn(previous, element) ? previous[element] : undefined;
    if (from === undefined || from === to || latest.get(element) === to) continue;
    const size = await sizeOf?.(element, from, to);
    const change = {
      at,
      element,
      kind: "version",
      hash: to,
      note: `from ${from}`,
      ...(size === undefined ? {} : { size }),
    };
    store.addChange(change);
    written.push(change);
  }
  return written;
}
