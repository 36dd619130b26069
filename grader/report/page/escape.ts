/** Text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/**
 * JSON that may stand in a script element of any type: `<` cannot end the element or begin a comment, and what cannot be
 * seen or breaks a line elsewhere (U+2028, U+2029, bidirectional marks) is escaped as JSON escapes it.
 */
export function escapeJson(json: string): string {
  return json.replace(/[<>&\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => unitsOf(character));
}

function unitsOf(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}
