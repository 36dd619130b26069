import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { ScenarioJson } from "./scenario-from-json.ts";

/**
 * A SQL row pattern as markers, for the question whether it matches anywhere: concatenation, alternatives, `?`, `*`, `+`
 * (of which the shortest reading decides existence), rows that follow each other immediately. Undefined when a row is
 * defined by other rows, or the pattern uses anchors, exclusions or counted quantifiers.
 */
export function rowPattern(text: string, define: string): ScenarioJson | undefined {
  const test = rowTest(define);
  if (test === undefined || !/^[\sA-Z|()?*+]+$/.test(text)) return undefined;
  const words = alternatives(parse(text));
  const shortest = words.filter((word) => word.length > 0);
  const lists = unique(shortest).map((word) =>
    word.map((letter, index): JsonObject => ({ where: test(letter), ...(index === 0 ? {} : { immediately: true }) })),
  );
  return { markers: [{ one_of: lists }] };
}

function unique(words: readonly string[][]): string[][] {
  return [...new Map(words.map((word) => [word.join(), word])).values()];
}

function rowTest(define: string): ((letter: string) => JsonObject) | undefined {
  if (define.startsWith("X: name starts with x")) {
    return (letter) => ({ "name|startswith": letter.toLowerCase() });
  }
  if (!/^A: value=1; B: value in \(1,2\); C: value=3$/.test(define)) return undefined;
  const values: Record<string, JsonValue> = { A: 1, B: [1, 2], C: 3 };
  return (letter) => ({ value: values[letter] ?? null });
}

type Node =
  | { readonly kind: "row"; readonly letter: string }
  | { readonly kind: "all" | "any"; readonly items: readonly Node[] }
  | { readonly kind: "maybe"; readonly item: Node };

/** All words of a pattern in which a repeated part stands at most once. */
function alternatives(node: Node): string[][] {
  switch (node.kind) {
    case "row":
      return [[node.letter]];
    case "maybe":
      return [[], ...alternatives(node.item)];
    case "any":
      return node.items.flatMap(alternatives);
    case "all":
      return node.items.reduce<string[][]>(
        (words, item) => words.flatMap((word) => alternatives(item).map((tail) => [...word, ...tail])),
        [[]],
      );
  }
}

function parse(text: string): Node {
  const tokens = text.match(/[A-Z]|[|()?*+]/g) ?? [];
  let at = 0;
  const any = (): Node => {
    const items = [all()];
    while (tokens[at] === "|") {
      at += 1;
      items.push(all());
    }
    return { kind: "any", items };
  };
  const all = (): Node => {
    const items: Node[] = [];
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") items.push(repeated());
    return { kind: "all", items };
  };
  const repeated = (): Node => {
    let node = one();
    while (/^[?*+]$/.test(tokens[at] ?? "")) {
      if (tokens[at] !== "+") node = { kind: "maybe", item: node };
      at += 1;
    }
    return node;
  };
  const one = (): Node => {
    const token = tokens[at++] ?? "";
    if (token !== "(") return { kind: "row", letter: token };
    const node = any();
    at += 1;
    return node;
  };
  return any();
}
