/** The syntax tree of a SQL row pattern (ISO/IEC 19075-5, section 4: PATTERN of MATCH_RECOGNIZE). */
export type RowPattern =
  | { readonly kind: "row"; readonly label: string }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "all" | "any"; readonly items: readonly RowPattern[] }
  | {
      readonly kind: "times";
      readonly item: RowPattern;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    };

/**
 * Reads a row pattern: concatenation, `|`, groups, the empty group, PERMUTE, anchors, exclusions (which have to match like
 * a group; they only take rows out of SQL's output) and all quantifiers, greedy and reluctant. Throws on anything else.
 */
export function parseRowPattern(text: string): RowPattern {
  const parser = new Parser(text);
  return parser.whole();
}

const TOKEN = /\s*(PERMUTE|[A-Z][A-Z0-9_]*|\{-|-\}|\{[\d,\s]*\}|[|()?*+^$,])/y;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    const pattern = new RegExp(TOKEN);
    const tokens: string[] = [];
    while (pattern.lastIndex < text.trimEnd().length) {
      const token = pattern.exec(text)?.[1];
      if (token === undefined) throw new Error(`no row pattern: ${text}`);
      tokens.push(token);
    }
    this.#tokens = tokens;
  }

  whole(): RowPattern {
    const pattern = this.#any();
    if (this.#at < this.#tokens.length) throw new Error(`no row pattern: ${this.#text}`);
    return pattern;
  }

  #any(): RowPattern {
    const items = [this.#all()];
    while (this.#skip("|")) items.push(this.#all());
    return { kind: "any", items };
  }

  #all(): RowPattern {
    const items: RowPattern[] = [];
    while (!["|", ")", "-}", ",", undefined].includes(this.#tokens[this.#at])) items.push(this.#quantified());
    return { kind: "all", items };
  }

  #quantified(): RowPattern {
    const item = this.#primary();
    const bounds = boundsOf(this.#tokens[this.#at]);
    if (bounds === undefined) return item;
    this.#at += 1;
    return { kind: "times", item, ...bounds, greedy: !this.#skip("?") };
  }

  #primary(): RowPattern {
    const token = this.#tokens[this.#at++] ?? "";
    if (token === "^") return { kind: "start" };
    if (token === "$") return { kind: "end" };
    if (token === "PERMUTE") return this.#permuted();
    if (/^[A-Z]/.test(token)) return { kind: "row", label: token };
    if (token !== "(" && token !== "{-") throw new Error(`no row pattern: ${this.#text}`);
    const inner = this.#any();
    this.#expect(token === "(" ? ")" : "-}");
    return inner;
  }

  #permuted(): RowPattern {
    this.#expect("(");
    const items = [this.#any()];
    while (this.#skip(",")) items.push(this.#any());
    this.#expect(")");
    return { kind: "any", items: permutations(items).map((order) => ({ kind: "all", items: order })) };
  }

  #skip(token: string): boolean {
    const isHere = this.#tokens[this.#at] === token;
    if (isHere) this.#at += 1;
    return isHere;
  }

  #expect(token: string): void {
    if (!this.#skip(token)) throw new Error(`no row pattern: ${this.#text}`);
  }
}

function boundsOf(token = ""): { min: number; max: number } | undefined {
  if (token === "?") return { min: 0, max: 1 };
  if (token === "*") return { min: 0, max: Number.POSITIVE_INFINITY };
  if (token === "+") return { min: 1, max: Number.POSITIVE_INFINITY };
  const [, min = "", comma, max = ""] = /^\{\s*(\d*)\s*(,?)\s*(\d*)\s*\}$/.exec(token) ?? [];
  if (comma === undefined) return undefined;
  if (comma === "") return { min: Number(min), max: Number(min) };
  return { min: Number(min), max: max === "" ? Number.POSITIVE_INFINITY : Number(max) };
}

/** In the order of SQL's preference: by the order in which the parts are written. */
function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, at) =>
    permutations(items.filter((_, other) => other !== at)).map((rest) => [first, ...rest]),
  );
}
