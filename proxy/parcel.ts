import type { Captured } from "./backlog.ts";
import type { Exchange, ExchangeResponse, RawHeaders } from "./record/exchange.ts";

/**
 * Captured exchanges and answers on their way to another thread: one text and one block of bytes. A thread is sent text
 * and bytes for the price of a copy, many small objects only for several times that.
 */
export interface Parcel {
  /** All that is no body, as JSON. */
  readonly heads: string;
  /** The bodies, one behind the other, with unused bytes behind them or without; to be transferred. */
  readonly bodies: ArrayBuffer;
}

type AnswerHead = readonly [id: string, status: number | null];
type LossHead = readonly [exchanges: number, why: string];
type ResponseHead = readonly [status: number, headers: RawHeaders, truncated: boolean, bytes: number];
/** What the requests of an app have in common. */
type RequestHead = readonly [
  scheme: Exchange["scheme"],
  method: string,
  host: string,
  port: number,
  target: string,
  headers: RawHeaders,
];
type ExchangeHead = readonly [
  mayBePassedOver: boolean,
  bytes: number,
  id: string,
  arrivedAt: number,
  /** Its place among the parcel's request heads. */
  request: number,
  truncated: boolean,
  status: number | null,
  run: string | null,
  response: ResponseHead | null,
];
type Head = AnswerHead | LossHead | ExchangeHead;
type Heads = readonly [requests: readonly RequestHead[], heads: readonly Head[]];

/** Packs what was captured; its bodies are copied into a block that `blockOf` gives for at least so many bytes. */
export function pack(
  all: readonly Captured[],
  blockOf: (bytes: number) => ArrayBuffer = (bytes) => new ArrayBuffer(bytes),
): Parcel {
  let size = 0;
  for (const captured of all) if (captured.kind === "exchange") size += bytesOf(captured.exchange);
  const bodies = new Uint8Array(blockOf(size));
  const requests = new RequestHeads();
  const heads: Head[] = [];
  let at = 0;
  for (const captured of all) {
    if (captured.kind === "answer") heads.push([captured.id, captured.status ?? null]);
    else if (captured.kind === "loss") heads.push([captured.exchanges, captured.why]);
    else {
      const { exchange, notRecorded } = captured;
      heads.push(headOf(exchange, requests.place(exchange), notRecorded !== undefined));
      bodies.set(exchange.body, at);
      if (exchange.response !== undefined) bodies.set(exchange.response.body, at + exchange.body.length);
      at += bytesOf(exchange);
    }
  }
  return { heads: JSON.stringify([requests.all, heads] satisfies Heads), bodies: bodies.buffer };
}

/** What `pack` was given. `passedOver` is called, with its place, for an exchange whose `notRecorded` is called. */
export function unpack({ heads, bodies }: Parcel, passedOver: (index: number) => void): Captured[] {
  let at = 0;
  const take = (bytes: number): Uint8Array => {
    at += bytes;
    return Buffer.from(bodies, at - bytes, bytes);
  };
  const [requests, all] = JSON.parse(heads) as Heads;
  return all.map((head, index): Captured => {
    if (!isExchange(head)) return isAnswer(head) ? answerOf(head) : lossOf(head);
    const notRecorded = head[0] ? () => passedOver(index) : undefined;
    return { kind: "exchange", exchange: exchangeOf(head, requests[head[4]], take), notRecorded };
  });
}

/** The request heads of a parcel, each once: a head that was said again comes as the same object (`head-memo.ts`). */
class RequestHeads {
  readonly all: RequestHead[] = [];
  readonly #places = new Map<RawHeaders, number>();

  place({ scheme, method, host, port, target, headers }: Exchange): number {
    const known = this.#places.get(headers);
    const same = known === undefined ? undefined : this.all[known];
    if (known !== undefined && same !== undefined) {
      const [itsScheme, itsMethod, itsHost, itsPort, itsTarget] = same;
      const isThere = itsHost === host && itsPort === port && itsScheme === scheme;
      if (isThere && itsMethod === method && itsTarget === target) return known;
    }
    this.#places.set(headers, this.all.length);
    return this.all.push([scheme, method, host, port, target, headers]) - 1;
  }
}

function bytesOf({ body, response }: Exchange): number {
  return body.length + (response?.body.length ?? 0);
}

function headOf(exchange: Exchange, request: number, mayBePassedOver: boolean): ExchangeHead {
  const { body, id, arrivedAt, truncated, status, run, response } = exchange;
  const answer = response === undefined ? null : responseHeadOf(response);
  return [mayBePassedOver, body.length, id, arrivedAt, request, truncated, status ?? null, run ?? null, answer];
}

function responseHeadOf({ status, headers, truncated, body }: ExchangeResponse): ResponseHead {
  return [status, headers, truncated, body.length];
}

function isExchange(head: Head): head is ExchangeHead {
  return head.length > 2;
}

function isAnswer(head: AnswerHead | LossHead): head is AnswerHead {
  return typeof head[0] === "string";
}

function answerOf([id, status]: AnswerHead): Captured {
  return { kind: "answer", id, status: status ?? undefined };
}

function lossOf([exchanges, why]: LossHead): Captured {
  return { kind: "loss", exchanges, why };
}

function exchangeOf(
  head: ExchangeHead,
  request: RequestHead | undefined,
  take: (bytes: number) => Uint8Array,
): Exchange {
  const [, bytes, id, arrivedAt, place, truncated, status, run, answer] = head;
  if (request === undefined) throw new RangeError(`a parcel has no request head ${place}`);
  const [scheme, method, host, port, target, headers] = request;
  const body = take(bytes);
  const known = { id, arrivedAt, scheme, method, host, port, target, headers, body, truncated };
  if (status === null && run === null && answer === null) return known;
  return {
    ...known,
    ...(status === null ? {} : { status }),
    ...(run === null ? {} : { run }),
    ...(answer === null ? {} : { response: responseOf(answer, take) }),
  };
}

function responseOf([status, headers, truncated, bytes]: ResponseHead, take: (bytes: number) => Uint8Array) {
  return { status, headers, truncated, body: take(bytes) };
}
