import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Entries of folders that one search looks at. */
const MOST_SEEN = 1_000_000;

export type FoundNames =
  | { readonly kind: "found"; readonly paths: readonly string[] }
  /** More than may be looked at. */
  | { readonly kind: "too many" };

export interface WalkOptions {
  /** Paths that are handed on. */
  readonly most: number;
  readonly ignoreCase: boolean;
  readonly signal?: AbortSignal;
}

/** Why a pattern is none; undefined when it is one. It names things below a folder, never beside or above it. */
export function wrongPattern(pattern: string): string | undefined {
  if (/^[\\/]|^[A-Za-z]:/.test(pattern)) return "it has to name things below the folder, so it cannot be absolute";
  const parts = pattern.split("/");
  if (parts.some((part) => ["", ".", ".."].includes(part))) return "none of its parts can be empty, . or ..";
  if (/[{}[\]|\\\0]/.test(pattern)) return "it knows *, ? and **; the signs {}[]|\\ of other patterns are not taken";
  return undefined;
}

/**
 * What a pattern names below a folder: `*` and `?` within a name, `**` for any number of folders. Links are named, never
 * followed. Time is linear in the entries seen, whatever the pattern: no expression that could be slow is made of it.
 */
export async function walkNames(folder: string, pattern: string, options: WalkOptions): Promise<FoundNames> {
  const parts = pattern.split("/");
  const paths: string[] = [];
  const open: { readonly folder: string; readonly states: readonly number[] }[] = [
    { folder, states: closure([0], parts) },
  ];
  let seen = 0;
  for (let next = open.pop(); next !== undefined && options.signal?.aborted !== true; next = open.pop()) {
    for (const entry of await entriesOf(next.folder)) {
      seen += 1;
      const states = step(next.states, entry.name, { parts, ignoreCase: options.ignoreCase });
      const path = join(next.folder, entry.name);
      if (states.includes(parts.length)) paths.push(path);
      if (seen > MOST_SEEN || paths.length > options.most) return { kind: "too many" };
      if (entry.isDirectory() && states.some((state) => state < parts.length)) open.push({ folder: path, states });
    }
  }
  return { kind: "found", paths: paths.sort() };
}

/** A folder that cannot be read holds nothing that could be found. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

interface Parts {
  readonly parts: readonly string[];
  readonly ignoreCase: boolean;
}

/** Where the pattern can stand behind one more name: numbers of parts that are done. */
function step(states: readonly number[], name: string, { parts, ignoreCase }: Parts): readonly number[] {
  const next = new Set<number>();
  for (const state of states) {
    const part = parts[state];
    if (part === "**") next.add(state);
    else if (part !== undefined && isNameLike(part, name, ignoreCase)) next.add(state + 1);
  }
  return closure([...next], parts);
}

/** `**` may also stand for no folder at all; at the end it stands for whatever is below. */
function closure(states: readonly number[], parts: readonly string[]): readonly number[] {
  const all = new Set(states);
  for (const state of all) if (parts[state] === "**") all.add(state + 1);
  return [...all];
}

function isNameLike(pattern: string, name: string, ignoreCase: boolean): boolean {
  return ignoreCase ? matches(pattern.toLowerCase(), name.toLowerCase()) : matches(pattern, name);
}

/** Goes back to the latest `*` only: at most pattern times name steps (Kirk J. Krauss, 2008). */
function matches(pattern: string, name: string): boolean {
  const [wanted, given] = [[...pattern], [...name]];
  let [at, star, resume] = [0, -1, 0];
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === "*") {
      star = at++;
      resume = index;
    } else if (at < wanted.length && (wanted[at] === "?" || wanted[at] === given[index])) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  return wanted.slice(at).every((sign) => sign === "*");
}
