import type { ProcessEntry } from "./process-table.ts";

/** The process a launch started. */
export interface Root {
  readonly pid: number;
  /** As the process table tells it; absent where the system does not. */
  readonly startedAt?: string | undefined;
}

/**
 * The processes of a launch among all: those that carry its mark, the root, and everything linked to one of these by
 * parent, process group or session, so that neither `setsid` nor a double fork nor an emptied environment alone hides a
 * process. `self` and its ancestors are never among them, nor what shares a group or session with `self`.
 */
export function familyOf(all: readonly ProcessEntry[], root: Root | undefined, self: number): ProcessEntry[] {
  const barred = ancestry(all, self);
  const own = all.find(({ pid }) => pid === self);
  const ties: Ties = { pids: new Set(), ids: new Set() };
  if (root !== undefined && !isReused(all, root)) tie(ties, root.pid, [root.pid]);
  const family = new Map<number, ProcessEntry>();
  for (let before = -1; before < family.size; ) {
    before = family.size;
    for (const entry of all) {
      if (family.has(entry.pid) || barred.has(entry.pid) || !belongs(entry, ties)) continue;
      family.set(entry.pid, entry);
      const ids = [entry.pid, entry.group, entry.session].filter((id) => id !== own?.group && id !== own?.session);
      tie(ties, entry.pid, ids);
    }
  }
  return [...family.values()];
}

interface Ties {
  readonly pids: Set<number>;
  /** Process groups and sessions. */
  readonly ids: Set<number>;
}

function tie({ pids, ids }: Ties, pid: number, more: readonly (number | undefined)[]): void {
  pids.add(pid);
  for (const id of more) if (id !== undefined && id > 1) ids.add(id);
}

function belongs(entry: ProcessEntry, { pids, ids }: Ties): boolean {
  if (entry.isMarked || pids.has(entry.pid) || pids.has(entry.parent)) return true;
  return (entry.group !== undefined && ids.has(entry.group)) || (entry.session !== undefined && ids.has(entry.session));
}

/** True when the root has ended and its id was given to another process since. */
function isReused(all: readonly ProcessEntry[], { pid, startedAt }: Root): boolean {
  const now = all.find((entry) => entry.pid === pid);
  return now?.startedAt !== undefined && startedAt !== undefined && now.startedAt !== startedAt;
}

function ancestry(all: readonly ProcessEntry[], self: number): Set<number> {
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const found = new Set([0, 1]);
  for (let at: number | undefined = self; at !== undefined && !found.has(at); at = parents.get(at)) found.add(at);
  return found;
}
