const BASE64 = /^[A-Za-z0-9+/_\- ]+={0,2}$/;

/**
 * Text out of base64 in either alphabet, with or without padding; a space stands for the `+` that a form made of it. UTF-16
 * surrogates that were encoded one by one (CESU-8, as mixpanel-browser does) are joined. Undefined for anything else.
 */
export function textFromBase64(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || !BASE64.test(trimmed)) return undefined;
  return joinSurrogates(Buffer.from(trimmed.replaceAll(" ", "+"), "base64"));
}

/** Decodes UTF-8 in which characters beyond U+FFFF may be written as two three-byte surrogates (CESU-8, UTR #26). */
export function joinSurrogates(bytes: Buffer): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 1)) {
    const high = surrogateAt(bytes, at);
    const low = surrogateAt(bytes, at + 3);
    if (high === undefined || low === undefined || high >= 0xdc00 || low < 0xdc00) continue;
    parts.push(bytes.toString("utf8", from, at), String.fromCharCode(high, low));
    from = at + 6;
    at += 5;
  }
  return parts.join("") + bytes.toString("utf8", from);
}

/** The surrogate written as `ED xx xx`, if one stands there. */
function surrogateAt(bytes: Buffer, at: number): number | undefined {
  const [lead, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (lead !== 0xed || second < 0xa0 || second > 0xbf || (third & 0xc0) !== 0x80) return undefined;
  return 0xd000 | ((second & 0x3f) << 6) | (third & 0x3f);
}
