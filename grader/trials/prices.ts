import { roundUsd } from "./spending-numbers.ts";

/** What a model costs, in US dollars per million tokens. What is absent has no price. */
export interface Price {
  readonly input?: number;
  readonly output?: number;
  /** Input tokens that the service had cached. */
  readonly cached?: number;
  /** Input tokens that the service put into its cache. */
  readonly cacheWrite?: number;
}

/** Prices by model: names, or patterns in which `*` stands for any text and `?` for one character. */
export interface PriceList {
  /** Where they come from, for outputs. */
  readonly file: string;
  readonly prices: readonly (Price & { readonly model: string })[];
}

/** Tokens of one call. `input` holds the cached and the cache-writing ones too; what nobody counted is absent. */
export interface CallTokens {
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
}

/** What a call cost as far as it can be priced, and what of it has no price. */
export interface PricedCall {
  /** Undefined when nothing of it can be priced. Never 0 for want of a price. */
  readonly usd: number | undefined;
  /** `gpt-x`, or `gpt-x: cached tokens`. */
  readonly unpriced: readonly string[];
}

/**
 * The price of a model: its own name wins over patterns, and of the patterns that match the longest (of two as long, the
 * one that stands first). Names are compared as they stand, upper and lower case apart. Undefined without a match.
 */
export function priceOf({ prices }: PriceList, model: string): (Price & { readonly model: string }) | undefined {
  const exact = prices.find((price) => price.model === model);
  if (exact !== undefined) return exact;
  let best: (Price & { readonly model: string }) | undefined;
  for (const price of prices) {
    const isLonger = best === undefined || price.model.length > best.model.length;
    if (isLonger && matchesGlob(price.model, model)) best = price;
  }
  return best;
}

/**
 * Prices a call: tokens times price, the cached and cache-writing ones at their own. Tokens of a kind that has no price
 * are named, never taken for free and never for the price of another kind, so that the sum is a lower bound.
 */
export function priceCall(models: readonly string[], tokens: CallTokens, list: PriceList | undefined): PricedCall {
  const [name = "a call without a model"] = models;
  const price = models.map((model) => list && priceOf(list, model)).find((found) => found !== undefined);
  if (price === undefined) return { usd: undefined, unpriced: [name] };
  const { input, output, cached = 0, cacheWrite = 0 } = tokens;
  const parts = [
    { what: "input tokens", count: input === undefined ? undefined : input - cached - cacheWrite, rate: price.input },
    { what: "output tokens", count: output, rate: price.output },
    { what: "cached tokens", count: cached, rate: price.cached },
    { what: "cache-writing tokens", count: cacheWrite, rate: price.cacheWrite },
  ].filter(({ count }) => count !== undefined && count > 0);
  const priced = parts.filter(({ rate }) => rate !== undefined);
  const unpriced = parts.filter(({ rate }) => rate === undefined).map(({ what }) => `${name}: ${what}`);
  const isNothing = priced.length === 0 && (unpriced.length > 0 || (input === undefined && output === undefined));
  if (isNothing) return { usd: undefined, unpriced };
  const usd = priced.reduce((sum, { count = 0, rate = 0 }) => sum + (count * rate) / 1e6, 0);
  return { usd: roundUsd(usd), unpriced };
}

/** Only the last star is ever tried again, so that no pattern of a price file takes exponential time. */
function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let star: { readonly pattern: number; text: number } | undefined;
  for (let index = 0; index < text.length; ) {
    if (pattern[at] === "*") {
      star = { pattern: at, text: index };
      at++;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[index])) {
      at++;
      index++;
    } else if (star !== undefined) {
      at = star.pattern + 1;
      star.text++;
      index = star.text;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
