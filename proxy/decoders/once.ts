import type { DecodableExchange } from "./decoder.ts";

/** Empties each memory that `once` made. */
const emptied: (() => void)[] = [];

/** What is read once of an exchange. */
export interface Once<T> {
  (exchange: DecodableExchange): T;
  /** What was read of this exchange, if anything was; nothing is read for it. */
  known(exchange: DecodableExchange): T | undefined;
}

/**
 * Reads something of an exchange once for all decoders that ask for it, be it to score or to decode. Exchanges come one after
 * the other, so the last one is remembered: to look one up in a weak map costs more than to parse a small body.
 */
export function once<T>(read: (exchange: DecodableExchange) => T): Once<T> {
  let last: { readonly exchange: DecodableExchange; readonly value: T } | undefined;
  emptied.push(() => {
    last = undefined;
  });
  const ask = (exchange: DecodableExchange): T => {
    if (last?.exchange !== exchange) last = { exchange, value: read(exchange) };
    return last.value;
  };
  return Object.assign(ask, {
    known: (exchange: DecodableExchange) => (last?.exchange === exchange ? last.value : undefined),
  });
}

/** Lets go of the exchange that was read last, and of all that was read of it. */
export function forgetExchange(): void {
  for (const empty of emptied) empty();
}
