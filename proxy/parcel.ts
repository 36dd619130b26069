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
type ExchangeHead = readonly [
  mayBePassedOver: boolean,
  bytes: number,
  id: string,
  arrivedAt: number,
  scheme: Exchange["scheme"],
  method: string,
  host: string,
  port: number,
  target: string,
  headers: RawHeaders,
  truncated: boolean,
  status: number | null,
  run: string | null,
  response: ResponseHead | null,
];
type Head = AnswerHead | LossHead | ExchangeHead;

/** Packs what was captured; its bodies are copied into a block that `blockOf` gives for at least so many bytes. */
export function pack(
  all: readonly Captured[],
  blockOf: (bytes: number) => ArrayBuffer = (bytes) => new ArrayBuffer(bytes),
): Parcel {
  let size = 0;
  for (const captured of all) if (captured.kind === "exchange") size += bytesOf(captured.exchange);
  const bodies = new Uint8Array(blockOf(size));
  const heads: Head[] = [];
  let at = 0;
  for (const captured of all) {
    if (captured.kind === "answer") heads.push([captured.id, captured.status ?? null]);
    else if (captured.kind === "loss") heads.push([captured.exchanges, captured.why]);
    else {
      const { exchange, notRecorded } = captured;
      heads.push(headOf(exchange, notRecorded !== undefined));
      bodies.set(exchange.body, at);
      if (exchange.response !== undefined) bodies.set(exchange.response.body, at + exchange.body.length);
      at += bytesOf(exchange);
    }
  }
  return { heads: JSON.stringify(heads), bodies: bodies.buffer };
}

/** What `pack` was given. `passedOver` is called, with its place, for an exchange whose `notRecorded` is called. */
export function unpack({ heads, bodies }: Parcel, passedOver: (index: number) => void): Captured[] {
  let at = 0;
  const take = (bytes: number): Uint8Array => {
    at += bytes;
    return Buffer.from(bodies, at - bytes, bytes);
  };
  return (JSON.parse(heads) as readonly Head[]).map((head, index): Captured => {
    if (!isExchange(head)) return isAnswer(head) ? answerOf(head) : lossOf(head);
    const notRecorded = head[0] ? () => passedOver(index) : undefined;
    return { kind: "exchange", exchange: exchangeOf(head, take), notRecorded };
  });
}

function bytesOf({ body, response }: Exchange): number {
  return body.length + (response?.body.length ?? 0);
}

function headOf(exchange: Exchange, mayBePassedOver: boolean): ExchangeHead {
  const { body, id, arrivedAt, scheme, method, host, port, target, headers, truncated, status, run, response } =
    exchange;
  const answer = response === undefined ? null : responseHeadOf(response);
  const where = [scheme, method, host, port, target] as const;
  return [
    mayBePassedOver,
    body.length,
    id,
    arrivedAt,
    ...where,
    headers,
    truncated,
    status ?? null,
    run ?? null,
    answer,
  ];
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

function exchangeOf(head: ExchangeHead, take: (bytes: number) => Uint8Array): Exchange {
  const [, bytes, id, arrivedAt, scheme, method, host, port, target, headers, truncated, status, run, answer] = head;
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
