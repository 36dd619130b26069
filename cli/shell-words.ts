export type ShellWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly why: string };

const BLANK = /[ \t\r\n]/;
/** What a shell would act on, and nobody does here. */
const OPERATOR = /[|&;<>()`$]/;

/**
 * Splits a text into words as a POSIX shell does (POSIX.1-2017, 2.2 Quoting and 2.3): blanks part words, single quotes
 * keep everything, double quotes all but `\\` before `" \ $` and a backquote, a backslash outside keeps the next character.
 * No shell runs, so what one would act on (pipes, `;`, `$HOME`) is refused with the reason rather than handed on as it is.
 */
export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (BLANK.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const part = partAt(text, at);
    if ("why" in part) return { ok: false, why: part.why };
    word = (word ?? "") + part.text;
    at = part.end;
  }
  if (word !== undefined) words.push(word);
  return { ok: true, words };
}

/** A part of a word; `end` is its last character. */
type Part = { readonly text: string; readonly end: number } | { readonly why: string };

function partAt(text: string, at: number): Part {
  const character = text[at] ?? "";
  if (character === "'") return singleQuoted(text, at);
  if (character === '"') return doubleQuoted(text, at);
  if (character === "\\") {
    const next = text[at + 1];
    return next === undefined ? { why: "it ends with a backslash" } : { text: next === "\n" ? "" : next, end: at + 1 };
  }
  if (OPERATOR.test(character)) return { why: `"${character}" needs a shell, and none runs` };
  return { text: character, end: at };
}

function singleQuoted(text: string, at: number): Part {
  const end = text.indexOf("'", at + 1);
  return end < 0 ? { why: "a ' is never closed" } : { text: text.slice(at + 1, end), end };
}

function doubleQuoted(text: string, begin: number): Part {
  let inside = "";
  for (let at = begin + 1; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') return { text: inside, end: at };
    if (character === "$" || character === "`") return { why: `"${character}" needs a shell, and none runs` };
    const next = text[at + 1] ?? "";
    const isEscape = character === "\\" && /["\\$`\n]/.test(next);
    inside += isEscape ? next.replace("\n", "") : character;
    if (isEscape) at++;
  }
  return { why: 'a " is never closed' };
}
