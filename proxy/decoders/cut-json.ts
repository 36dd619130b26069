import { type JsonValue, parseJson } from "../record/json.ts";

/** Brackets open around a list of events: a list, a list in a wrapper, and OTLP's resources, scopes and items. */
const LISTS: ReadonlySet<string> = new Set(["[", "{[", "{[{[{["]);
const OTLP = /^\s*\{\s*"resource(?:Spans|Logs|Metrics)"/;

/**
 * Parses JSON whose end is missing, up to the last whole member of its list of events; what stands behind it is left out and
 * every bracket that was open there is closed. Undefined when not one member is whole.
 */
export function parseCutJson(text: string): JsonValue | undefined {
  const end = lastWholeMember(text, OTLP.test(text.slice(0, 200)) ? 6 : 2);
  if (end === undefined) return undefined;
  try {
    return parseJson(text.slice(0, end.at) + end.closing);
  } catch {
    return undefined; // cut and broken
  }
}

interface Cut {
  readonly at: number;
  readonly closing: string;
}

/** Walks over the text once; strings are jumped over. */
function lastWholeMember(text: string, maxDepth: number): Cut | undefined {
  const open: string[] = [];
  let last: Cut | undefined;
  const token = /[[\]{}]|"(?:[^"\\]|\\.)*(?:"|$)/gs;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [sign] = match;
    if (sign === "[" || sign === "{") open.push(sign);
    if (sign !== "]" && sign !== "}") continue;
    open.pop();
    const isMember = sign === "}" && open.length <= maxDepth && LISTS.has(open.join(""));
    if (isMember) last = { at: token.lastIndex, closing: closingOf(open) };
  }
  return last;
}

function closingOf(open: readonly string[]): string {
  return open
    .map((sign) => (sign === "[" ? "]" : "}"))
    .reverse()
    .join("");
}
