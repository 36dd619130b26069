import type { Exchange } from "./record/exchange.ts";

/** Milliseconds what was captured waits at most. */
const WAIT_MS = 5;
/** Body bytes that may wait; with more, all is worked off at once. */
const MAX_WAITING_BYTES = 1_000_000;

export interface BacklogParts {
  readonly take: (exchange: Exchange) => void;
  readonly answered: (exchangeId: string, status: number | undefined) => void;
  /** Told of a throw of either, with which the rest goes on. */
  readonly onFailure: (cause: unknown) => void;
}

/** Exchanges and answers on their way from the traffic to the log, in the order in which they came. */
export interface Backlog {
  /** Takes an exchange, to be worked off by `take` unless another way is given. */
  readonly exchange: (exchange: Exchange, by?: (exchange: Exchange) => void) => void;
  readonly answer: (exchangeId: string, status: number | undefined) => void;
  /** Works off what waits, now. */
  readonly settle: () => void;
}

/**
 * Keeps decoding out of the turns of the event loop that pass the traffic on: what comes within `WAIT_MS` is worked off
 * in one go. Measured by `bench -- proxy`: a fifth less CPU time per request than one by one between two sockets, since
 * each kind of work then finds its code and data in the processor's caches.
 */
export function createBacklog({ take, answered, onFailure }: BacklogParts): Backlog {
  let waiting: (() => void)[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const settle = (): void => {
    clearTimeout(timer);
    timer = undefined;
    bytes = 0;
    const due = waiting;
    waiting = [];
    for (const act of due) {
      try {
        act();
      } catch (cause) {
        onFailure(cause);
      }
    }
  };
  const add = (act: () => void): void => {
    waiting.push(act);
    if (bytes > MAX_WAITING_BYTES) settle();
    else timer ??= setTimeout(settle, WAIT_MS);
  };
  return {
    exchange(exchange, by = take) {
      bytes += exchange.body.length;
      add(() => by(exchange));
    },
    answer: (exchangeId, status) => add(() => answered(exchangeId, status)),
    settle,
  };
}
