const MOST_TOKENS = 60;
/** A text of which less than this stays the same is no template but different texts. */
const LEAST_FIXED = 0.4;

/**
 * The pattern (RE2) of texts that differ in parts: the words all of them share, in order, and any text where they
 * differ. Only what differs becomes a wildcard: the word that tells `VM 7 Started` from `VM 7 Paused` stays. The order
 * of the texts does not matter. Undefined when too little is shared.
 */
export function templateOf(texts: readonly string[]): string | undefined {
  const different = [...new Set(texts)].sort();
  const [first = [], ...rest] = different.map(tokensOf);
  if (different.length < 2 || first.length > MOST_TOKENS || first.length === 0) return undefined;
  let common: readonly string[] = first;
  for (const tokens of rest) {
    if (tokens.length > MOST_TOKENS) return undefined;
    common = commonTokens(common, tokens);
  }
  const words = common.filter((token) => /\p{L}{2}/u.test(token));
  const shortest = Math.min(...different.map((text) => tokensOf(text).length));
  if (words.length === 0 || common.length < LEAST_FIXED * shortest) return undefined;
  return patternOf(common, different.map(tokensOf));
}

function tokensOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((token) => token !== "");
}

/** Longest common subsequence of two lists of words; of several, the one that takes its words earliest. */
function commonTokens(a: readonly string[], b: readonly string[]): readonly string[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? [];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const common: string[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      common.push(a[i] ?? "");
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return common;
}

/** `^`, the shared words with `.*` between those that are not neighbours in every text, `$`. */
function patternOf(common: readonly string[], texts: readonly (readonly string[])[]): string {
  const places = texts.map((tokens) => placesOf(common, tokens));
  const gapAt = (index: number): boolean =>
    places.some((own, text) => {
      const before = index === 0 ? -1 : (own[index - 1] ?? 0);
      const here = index === common.length ? (texts[text]?.length ?? 0) : (own[index] ?? 0);
      return here !== before + 1;
    });
  let pattern = gapAt(0) ? "" : "^";
  for (const [index, token] of common.entries()) {
    if (index > 0) pattern += gapAt(index) ? "\\s.*" : "\\s+";
    pattern += (index > 0 && gapAt(index) ? "" : "") + token.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
  }
  return gapAt(common.length) ? pattern : `${pattern}$`;
}

function placesOf(common: readonly string[], tokens: readonly string[]): readonly number[] {
  let from = 0;
  return common.map((token) => {
    const at = tokens.indexOf(token, from);
    from = at + 1;
    return at;
  });
}
