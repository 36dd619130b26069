/** Letters that take two columns in a terminal: East Asian Wide and Fullwidth of Unicode's annex 11, and emoji. */
const WIDE =
  /[\u1100-\u115f\u231a\u231b\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Letters that take none: they join the one before. */
const JOINING = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** Columns that a text takes in a terminal; it holds no control characters (`asText` sees to that). */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const letter of text) width += widthOfLetter(letter);
  return width;
}

function widthOfLetter(letter: string): number {
  if (JOINING.test(letter)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}

/** The text cut to so many columns, with `…` as its last when something is missing. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= 0) return "";
  let cut = "";
  let width = 0;
  for (const letter of text) {
    width += widthOfLetter(letter);
    if (width > columns - 1) break;
    cut += letter;
  }
  return `${cut}…`;
}

/** The text with spaces behind it up to so many columns. */
export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}
