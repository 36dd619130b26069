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
  const tokens = (text.match(TOKEN) ?? []).filter((token) => token.trim() !== "");
  let depth = 0;
  return tokens.map((token, at): JsonPiece => {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    if (isOpening(token)) {
      if (isClosing(next)) return { kind: "mark", text: token };
      return { kind: "mark", text: `${token}${lineBreak(++depth)}` };
    }
    if (isClosing(token)) return { kind: "mark", text: isOpening(before) ? token : `${lineBreak(--depth)}${token}` };
    if (token === ",") return { kind: "mark", text: `,${lineBreak(depth)}` };
    return token === ":" ? { kind: "mark", text: ": " } : { kind: kindOf(token, next), text: token };
  });
}

function isOpening(token: string | undefined): boolean {
  return token === "{" || token === "[";
}

function isClosing(token: string | undefined): boolean {
  return token === "}" || token === "]";
}

function lineBreak(depth: number): string {
  return `\n${"  ".repeat(Math.max(0, Math.min(depth, 40)))}`;
}

function kindOf(token: string, next: string | undefined): JsonPiece["kind"] {
  if (token.startsWith('"')) return next === ":" ? "key" : "text";
  return /^[-0-9]/.test(token) ? "number" : "word";
}
