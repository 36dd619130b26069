import { createHash } from "node:crypto";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { Document, isMap, isSeq, Pair, Scalar, YAMLMap, YAMLSeq } from "../scenario/write-yaml.ts";
import type { Draft, DraftItem } from "./draft.ts";

/** Written behind what was learned, with a digest of it: who changes the item leaves the digest behind. */
const TAG = /\[learned ([0-9a-f]{8})\]/;

/** The digest in a comment that says its item was learned; undefined when there is none. */
export function learnedDigest(comment: string | null | undefined): string | undefined {
  return TAG.exec(comment ?? "")?.[1];
}

/** Digest of an item's content, whatever the order of its keys and the style it is written in. */
export function digestOf(body: JsonValue): string {
  return createHash("sha256")
    .update(stringifyJson(inOrder(body)))
    .digest("hex")
    .slice(0, 8);
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}

/** A draft as a YAML document: an ordinary scenario file with a comment for every marker and rule. */
export function draftDocument(draft: Draft): Document {
  const document = new Document({ waymark: 1, scenario: draft.id }, { aliasDuplicateObjects: false });
  document.commentBefore = draft.about.map((line) => ` ${line}`).join("\n");
  if (draft.title !== undefined) document.set("title", draft.title);
  if (draft.provisional.length > 0) {
    const flag = new Scalar(true);
    flag.comment = ` ${draft.provisional.join("; ")}`;
    document.set("provisional", flag);
  }
  if (draft.params.length > 0) document.set("params", paramMap(document, draft.params));
  if (draft.define.length > 0) document.set("define", defineMap(document, draft.define));
  for (const key of ["markers", "rules"] as const) {
    if (draft[key].length === 0) continue;
    const list = new YAMLSeq();
    list.items.push(...draft[key].map((item) => itemNode(document, item)));
    document.set(key, list);
  }
  return document;
}

/** Parameters as a map of declarations. */
export function paramMap(document: Document, params: readonly DraftItem[]): unknown {
  return document.createNode(Object.fromEntries(params.map(({ name, body }) => [name, body])));
}

/** Named patterns as a map, each with the comment before its name. */
export function defineMap(document: Document, items: readonly DraftItem[]): YAMLMap {
  const map = new YAMLMap();
  for (const { name, body, why } of items) {
    const key = new Scalar(name);
    key.commentBefore = ` ${oneLine(why)} [learned ${digestOf(body)}]`;
    const value = document.createNode(body, { aliasDuplicateObjects: false }) as YAMLMap;
    flowShort(value);
    map.items.push(new Pair(key, value));
  }
  return map;
}

/** An item as a node, its comment before it; inner maps are written in one line where they are short. */
export function itemNode(document: Document, { body, why }: DraftItem): YAMLMap {
  const node = document.createNode(body, { aliasDuplicateObjects: false }) as YAMLMap;
  for (const pair of node.items) flowShort(pair.value);
  node.commentBefore = ` ${oneLine(why)} [learned ${digestOf(body)}]`;
  return node;
}

const MOST_IN_LINE = 90;

/** Maps and lists without maps inside that fit a line. */
function flowShort(value: unknown): void {
  if (isMap(value) || isSeq(value)) {
    if (stringifyJson(value.toJSON() as JsonValue).length <= MOST_IN_LINE) {
      value.flow = true;
      return;
    }
    for (const item of value.items) flowShort(isMap(value) ? (item as { value?: unknown }).value : item);
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, " ").slice(0, 500);
}

/** The text of a document; the same for the same content. */
export function documentText(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: true, indentSeq: true });
}
