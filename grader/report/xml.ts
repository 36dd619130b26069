/**
 * Text for XML 1.0 content and attributes. What XML cannot write at all (most control characters, lone surrogates, U+FFFE
 * and U+FFFF; section 2.2) and what changes how the rest is seen (ESC, bidirectional marks) becomes a visible escape.
 */
export function xmlText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffe\uffff]/gu, (character) =>
      "\t\n\r".includes(character) ? character : visible(character),
    )
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** As `xmlText`, for an attribute: line ends stay, written as references. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function visible(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}
