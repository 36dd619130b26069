/** A piece of JSON text and what it is, for showing it in colours. */
export interface JsonPiece {
  readonly kind: "key" | "text" | "number" | "word" | "mark";
  readonly text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[-+0-9.eE]+|true|false|null|[{}[\],:]|\s+|./gsu;

/**
 * JSON as it stands in a log, laid out over lines. Works on the text, so that every digit of every number stays; text that
 * is no JSON comes out as it is.
 */
export function prettyJson(text: string): readonly JsonPiece[] {
  const pieces: JsonPiece[] = [];
  const tokens = (text.match(TOKEN) ?? []).filter((token) => token.trim() !== "");
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if (token === "{" || token === "[") {
      const isEmpty = next === "}" || next === "]";
      if (!isEmpty) depth++;
      pieces.push({ kind: "mark", text: isEmpty ? token : `${token}${lineBreak(depth)}` });
    } else if (token === "}" || token === "]") {
      const before = tokens[at - 1];
      if (before !== "{" && before !== "[") pieces.push({ kind: "mark", text: lineBreak(--depth) });
      pieces.push({ kind: "mark", text: token });
    } else if (token === ",") pieces.push({ kind: "mark", text: `,${lineBreak(depth)}` });
    else if (token === ":") pieces.push({ kind: "mark", text: ": " });
    else pieces.push({ kind: kindOf(token, next), text: token });
  }
  return pieces;
}

function lineBreak(depth: number): string {
  return `\n${"  ".repeat(Math.max(0, Math.min(depth, 40)))}`;
}

function kindOf(token: string, next: string | undefined): JsonPiece["kind"] {
  if (token.startsWith('"')) return next === ":" ? "key" : "text";
  return /^[-0-9]/.test(token) ? "number" : "word";
}
