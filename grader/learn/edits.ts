import type { JsonValue } from "../../proxy/record/json.ts";
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  type YAMLMap,
  YAMLSeq,
} from "../scenario/write-yaml.ts";
import type { Draft, DraftItem } from "./draft.ts";
import { defineMap, digestOf, documentText, draftDocument, itemNode, learnedDigest, paramMap } from "./write.ts";

/** A scenario learned again, with what people did to it. */
export interface Rewritten {
  readonly text: string;
  /** Names of markers and rules that a person wrote or changed; they were kept as they are. */
  readonly kept: readonly string[];
  /** Names that a person took out; they were not written again. */
  readonly removed: readonly string[];
}

export interface Before {
  readonly text: string;
  /** What the last learning wrote, and what people took out before (see `writtenNames`). */
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

const LISTS = ["markers", "rules"] as const;

/** What a draft writes, by list and name: what of it is missing later, a person took out. */
export function writtenNames(draft: Draft): readonly string[] {
  return [
    ...(draft.provisional.length > 0 ? ["provisional"] : []),
    ...LISTS.flatMap((key) => draft[key].map(({ name }) => `${key}:${name}`)),
  ];
}

/** The text of a draft that nothing stands in the way of. */
export function freshText(draft: Draft): string {
  return documentText(draftDocument(draft));
}

/**
 * Writes a draft over a scenario file. What still has the digest it was learned with is replaced; what a person changed
 * or added stays, comments too, at its place; what a person took out stays out. A file that is no YAML map is replaced.
 */
export function rewrite(draft: Draft, before: Before): Rewritten {
  const document = parseDocument(before.text, { version: "1.2" });
  if (document.errors.length > 0 || !isMap(document.contents)) return { text: freshText(draft), kept: [], removed: [] };
  const missing = before.written.filter((name) => !has(document, name));
  const removed = [...new Set([...before.removed, ...missing])].sort();
  const kept: string[] = [];
  writeHead(document, draft);
  writeFlag(document, draft, removed);
  writeMap(document, "define", draft.define);
  writeParams(document, draft.params);
  for (const key of LISTS) writeList({ document, draft, removed, kept }, key);
  return { text: documentText(document), kept, removed };
}

function has(document: Document, written: string): boolean {
  const [key = "", ...rest] = written.split(":");
  if (rest.length === 0) return document.has(key);
  const list = document.get(key);
  return isSeq(list) && list.items.some((item) => nameOf(item) === rest.join(":"));
}

function nameOf(item: unknown): string | undefined {
  const name = isMap(item) ? item.get("name") : undefined;
  return typeof name === "string" ? name : undefined;
}

const LEARNED_HEAD = "Learned by waymark from";

function writeHead(document: Document, draft: Draft): void {
  const old = document.commentBefore ?? "";
  if (old !== "" && !old.includes(LEARNED_HEAD)) return;
  const own = old.split("\n").filter((line) => !HEAD_LINES.some((start) => line.trim().startsWith(start)));
  document.commentBefore = [...draft.about.map((line) => ` ${line}`), ...own.filter((line) => line.trim() !== "")].join(
    "\n",
  );
}

const HEAD_LINES = [LEARNED_HEAD, "What you change, add", "The runs go in loops"];

function writeFlag(document: Document, draft: Draft, removed: readonly string[]): void {
  if (draft.provisional.length === 0 || removed.includes("provisional")) {
    document.delete("provisional");
    return;
  }
  const flag = new Scalar(true);
  flag.comment = ` ${draft.provisional.join("; ")}`;
  if (document.has("provisional")) document.set("provisional", flag);
  else insertAfter(document, "scenario", "provisional", flag);
}

function insertAfter(document: Document, after: string, key: string, value: unknown): void {
  const { contents } = document;
  if (!isMap(contents)) return;
  const at = contents.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === after);
  contents.items.splice(at + 1, 0, document.createPair(key, value) as (typeof contents.items)[number]);
}

/** Entries with their digest are replaced, all others are a person's and stay. */
function writeMap(document: Document, key: string, items: readonly DraftItem[]): void {
  const old = document.get(key);
  moveKeyComment(old);
  const fresh = defineMap(document, items);
  const own = isMap(old)
    ? old.items.filter((pair) => !isUntouched(isScalar(pair.key) ? pair.key.commentBefore : undefined, pair.value))
    : [];
  const names = new Set(own.map((pair) => (isScalar(pair.key) ? pair.key.value : undefined)));
  const kept = fresh.items.filter((pair) => !names.has(isScalar(pair.key) ? pair.key.value : undefined));
  fresh.items = [...kept, ...own];
  if (fresh.items.length === 0) document.delete(key);
  else if (document.has(key)) document.set(key, fresh);
  else
    insertAfter(
      document,
      document.has("params") ? "params" : document.has("provisional") ? "provisional" : "scenario",
      key,
      fresh,
    );
}

function writeParams(document: Document, params: readonly DraftItem[]): void {
  const missing = params.filter(({ name }) => !document.hasIn(["params", name]));
  if (missing.length === 0) return;
  if (!isMap(document.get("params"))) insertAfter(document, "scenario", "params", paramMap(document, params));
  else for (const { name, body } of missing) document.setIn(["params", name], document.createNode(body));
}

interface Writing {
  readonly document: Document;
  readonly draft: Draft;
  readonly removed: readonly string[];
  readonly kept: string[];
}

function writeList({ document, draft, removed, kept }: Writing, key: (typeof LISTS)[number]): void {
  const old = document.get(key);
  const before = isSeq(old) ? old.items.filter(isMap) : [];
  moveFirstComment(old, before);
  const own = before.filter((item) => !isUntouched(item.commentBefore, item));
  const ownNames = new Set(own.map(nameOf));
  const fresh = draft[key].filter(({ name }) => !removed.includes(`${key}:${name}`) || ownNames.has(name));
  const result: YAMLMap[] = fresh.map(
    (item) => own.find((one) => nameOf(one) === item.name) ?? itemNode(document, item),
  );
  for (const item of own) {
    kept.push(nameOf(item) ?? `${key} ${before.indexOf(item) + 1}`);
    if (!result.includes(item)) result.splice(placeFor(item, before, result), 0, item);
  }
  if (result.length === 0) {
    document.delete(key);
    return;
  }
  const list = isSeq(old) ? old : new YAMLSeq();
  list.items = result;
  document.set(key, list);
}

/** The parser gives the comment before a map's first key to the map. */
function moveKeyComment(map: unknown): void {
  const first = isMap(map) ? map.items[0]?.key : undefined;
  if (!isMap(map) || !isScalar(first) || learnedDigest(map.commentBefore) === undefined) return;
  first.commentBefore = map.commentBefore ?? null;
  map.commentBefore = null;
}

/** The parser gives the comment before a list's first item to the list. */
function moveFirstComment(list: unknown, items: readonly YAMLMap[]): void {
  const [first] = items;
  if (!isSeq(list) || first === undefined || list.commentBefore === undefined || list.commentBefore === null) return;
  if (learnedDigest(list.commentBefore) === undefined) return;
  first.commentBefore = list.commentBefore;
  list.commentBefore = null;
}

/** Behind the item it stood behind; at the beginning when it was first or its neighbour is gone. */
function placeFor(item: YAMLMap, before: readonly YAMLMap[], result: readonly YAMLMap[]): number {
  for (let at = before.indexOf(item) - 1; at >= 0; at--) {
    const name = nameOf(before[at]);
    const found = result.findIndex((one) => nameOf(one) === name);
    if (found !== -1) return found + 1;
  }
  return 0;
}

function isUntouched(comment: string | null | undefined, node: unknown): boolean {
  const digest = learnedDigest(comment);
  if (digest === undefined || !isMap(node)) return false;
  return digestOf(node.toJSON() as JsonValue) === digest;
}
