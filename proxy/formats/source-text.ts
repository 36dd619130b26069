import type { Source } from "./format.ts";

const PARAMETER = /^(?<kind>query|form|header):(?<name>.+)$/s;

/** Reads where a value stands, as it is written in a format file; undefined when it is written otherwise. */
export function parseSource(text: string): Source | undefined {
  if (text === "text") return { kind: "text" };
  if (text.startsWith("$")) return { kind: "event", path: text };
  if (text.startsWith("body:$")) return { kind: "body", path: text.slice("body:".length) };
  const { kind, name } = PARAMETER.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  return { kind: kind as "query" | "form" | "header", name };
}

export function isFormatSource(text: string): boolean {
  return parseSource(text) !== undefined;
}
