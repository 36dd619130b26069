import { isObject, type JsonObject, type JsonValue } from "../../proxy/record/json.ts";
import { spelledKey, valueIn } from "../operators/spelled.ts";
import type { Leaf } from "./trace.ts";

const MOST_LEAVES = 120;
/** What lies deeper is left out. */
export const MOST_DEPTH = 12;
/** What every record has, and what waymark itself adds: never a fact. */
export const NO_FACTS: ReadonlySet<string> = new Set(["name", "time", "$capture"]);

/** What is known of the values at paths. */
export interface Known {
  get(path: string): { readonly endless: boolean } | undefined;
}

interface Gathering {
  readonly leaves: Leaf[];
  readonly within: { readonly path: string; readonly keys: readonly string[] } | undefined;
  readonly depth: number;
  readonly known: Known | undefined;
}

/**
 * The scalars of an event, by path, sorted: texts that hold JSON or Python literals are opened, a list of scalars is one
 * leaf whose elements may stand in any order. At most 120; what lies deeper than 12 is left out, and so is a text or number at a
 * path that is known to vary without end.
 */
export function leavesOf(event: JsonObject, known?: Known): Leaf[] {
  const leaves: Leaf[] = [];
  for (const [key, value] of Object.entries(event)) {
    if (!NO_FACTS.has(key)) gather(value, keyPath("", key), { leaves, within: undefined, depth: 0, known });
  }
  leaves.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return leaves.length > MOST_LEAVES ? leaves.slice(0, MOST_LEAVES) : leaves;
}

function gather(value: JsonValue, path: string, gathering: Gathering): void {
  const { leaves, within, depth, known } = gathering;
  if (typeof value !== "object" && known?.get(path)?.endless === true) return;
  if (leaves.length > MOST_LEAVES * 4) return;
  const held = typeof value === "string" ? valueIn(value) : undefined;
  if (held !== undefined) {
    gather(held, path, { leaves, within: within ?? { path, keys: [] }, depth: depth + 1, known });
    return;
  }
  if (typeof value !== "object" || value === null) {
    leaves.push({ path, key: spelledKey(value), value, ...(within === undefined ? {} : { within }) });
    return;
  }
  if (depth > MOST_DEPTH) return;
  if (Array.isArray(value)) gatherList(value, path, gathering);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      gather(inner, keyPath(path, key), { leaves, within: deeper(within, key), depth: depth + 1, known });
    }
  }
}

function gatherList(list: readonly JsonValue[], path: string, { leaves, within, depth, known }: Gathering): void {
  const scalars = list.filter((item) => typeof item !== "object" || item === null);
  if (scalars.length === list.length) {
    const keys = scalars.map((item) => spelledKey(item as string)).sort();
    leaves.push({ path, key: `[${JSON.stringify(keys)}`, value: list, ...(within === undefined ? {} : { within }) });
    return;
  }
  for (const [index, item] of list.entries()) {
    gather(item, `${path}[${index}]`, { leaves, within: deeper(within, `[${index}]`), depth: depth + 1, known });
  }
}

function deeper(within: Gathering["within"], key: string): Gathering["within"] {
  return within === undefined ? undefined : { path: within.path, keys: [...within.keys, key] };
}

/** Paths made before, by the path above and the key; logs have few of them and many events. */
const made = new Map<string, Map<string, string>>();
const MOST_MADE = 20_000;
let count = 0;

/** The path of a key below a path, quoted where the language asks for it. */
export function keyPath(path: string, key: string): string {
  let below = made.get(path);
  if (below === undefined || count > MOST_MADE) {
    if (count > MOST_MADE) made.clear();
    count = count > MOST_MADE ? 0 : count;
    below = new Map();
    made.set(path, below);
  }
  let known = below.get(key);
  if (known === undefined) {
    known = writePath(path, key);
    below.set(key, known);
    count++;
  }
  return known;
}

function writePath(path: string, key: string): string {
  if (/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key)) return path === "" ? key : `${path}.${key}`;
  return `${path}['${key.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
}
