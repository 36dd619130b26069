/**
 * A text that a regular expression (RE2 syntax) probably finds: of each alternative the first, of each class its first
 * member, of each repetition the fewest. Undefined where the expression is beyond this; callers test the text anyway.
 */
export function textFor(expression: string): string | undefined {
  const reader = { text: expression.replace(/^\(\?[a-zA-Z]+\)/, ""), at: 0 };
  try {
    return alternatives(reader);
  } catch (error) {
    if (error instanceof Beyond) return undefined;
    throw error;
  }
}

class Beyond extends Error {}

interface Reader {
  readonly text: string;
  at: number;
}

function alternatives(reader: Reader): string {
  const first = sequence(reader);
  while (reader.text[reader.at] === "|") {
    reader.at += 1;
    sequence(reader);
  }
  return first;
}

function sequence(reader: Reader): string {
  let made = "";
  while (reader.at < reader.text.length && !"|)".includes(reader.text[reader.at] ?? "")) {
    const atom = readAtom(reader);
    made += atom.repeat(fewest(reader));
  }
  return made;
}

function readAtom(reader: Reader): string {
  const sign = reader.text[reader.at] ?? "";
  reader.at += 1;
  if (sign === "(") return group(reader);
  if (sign === "[") return oneOfClass(reader);
  if (sign === "\\") return escaped(reader);
  if (sign === "^" || sign === "$") return "";
  return sign === "." ? "x" : sign;
}

function group(reader: Reader): string {
  const opening = /^\?(?:P?<\w+>|[a-zA-Z]*:)/.exec(reader.text.slice(reader.at));
  if (opening !== null) reader.at += opening[0].length;
  const inner = alternatives(reader);
  if (reader.text[reader.at] !== ")") throw new Beyond();
  reader.at += 1;
  return inner;
}

const CLASS_SAMPLES: Readonly<Record<string, string>> = {
  d: "0",
  w: "a",
  s: " ",
  D: "x",
  W: "-",
  S: "x",
  b: "",
  A: "",
  z: "",
  B: "",
};

function escaped(reader: Reader): string {
  const letter = reader.text[reader.at] ?? "";
  reader.at += 1;
  if (letter in CLASS_SAMPLES) return CLASS_SAMPLES[letter] ?? "";
  if (letter === "n") return "\n";
  if (letter === "t") return "\t";
  if (/[a-zA-Z0-9]/.test(letter)) throw new Beyond();
  return letter;
}

/** Of a negated class any sign that is not among those written. */
function oneOfClass(reader: Reader): string {
  const end = reader.text.indexOf("]", reader.at + 1);
  if (end < 0) throw new Beyond();
  const body = reader.text.slice(reader.at, end);
  reader.at = end + 1;
  if (!body.startsWith("^")) return body.startsWith("\\") ? escaped({ text: body, at: 1 }) : (body[0] ?? "");
  const other = ["x", "7", "-", " ", "Z"].find((sign) => !new RegExp(`[${body.slice(1)}]`).test(sign));
  if (other === undefined) throw new Beyond();
  return other;
}

function fewest(reader: Reader): number {
  const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.text.slice(reader.at));
  if (found === null) return 1;
  reader.at += found[0].length;
  if (found[1] !== undefined) return Math.min(Number(found[1]), 100);
  return found[0].startsWith("+") ? 1 : 0;
}
