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

/** All that is no body. What was captured takes its parts from the front of each list, in its order. */
interface Heads {
  readonly requests: readonly RequestHead[];
  /** When the first exchange arrived; the others' times are counted from there. */
  readonly since: number;
  /** Of exchanges and answers. */
  readonly ids: readonly string[];
  /**
   * First what it is. Then of an exchange: its place among `requests`, its body's bytes, its time; of an answer: its status.
   * JSON of small integers is written and read far sooner than that of as many small lists.
   */
  readonly numbers: readonly number[];
  readonly rare: readonly (RareHead | LossHead)[];
}

/** What the requests of an app have in common. */
type RequestHead = readonly [
  scheme: Exchange["scheme"],
  method: string,
  host: string,
  port: number,
  target: string,
  headers: RawHeaders,
];
/** What few exchanges have. */
type RareHead = readonly [
  mayBePassedOver: boolean,
  status: number | null,
  run: string | null,
  response: ResponseHead | null,
];
type ResponseHead = readonly [status: number, headers: RawHeaders, truncated: boolean, bytes: number];
type LossHead = readonly [exchanges: number, why: string];

const LOSS = 0;
const ANSWER = 1;
const EXCHANGE = 2;
/** Added to `EXCHANGE`. */
const IS_CUT = 1;
const IS_RARE = 2;
/** In the place of a status. */
const NONE = -1;

/** Packs what was captured; its bodies are copied into a block that `blockOf` gives for at least so many bytes. */
export function pack(
  all: readonly Captured[],
  blockOf: (bytes: number) => ArrayBuffer = (bytes) => new ArrayBuffer(bytes),
): Parcel {
  let size = 0;
  for (const captured of all) if (captured.kind === "exchange") size += bytesOf(captured.exchange);
  const packing = new Packing(new Uint8Array(blockOf(size)));
  for (const captured of all) packing.add(captured);
  return packing.parcel();
}

class Packing {
  readonly #bodies: Uint8Array<ArrayBuffer>;
  #end = 0;
  readonly #requests = new RequestHeads();
  #since: number | undefined;
  readonly #ids: string[] = [];
  readonly #numbers: number[] = [];
  readonly #rare: (RareHead | LossHead)[] = [];

  constructor(bodies: Uint8Array<ArrayBuffer>) {
    this.#bodies = bodies;
  }

  add(captured: Captured): void {
    if (captured.kind === "exchange") this.#addExchange(captured);
    else if (captured.kind === "answer") {
      const { id, status = NONE } = captured;
      this.#ids.push(id);
      this.#numbers.push(ANSWER, Number.isFinite(status) ? status : NONE);
    } else {
      this.#numbers.push(LOSS);
      this.#rare.push([captured.exchanges, captured.why]);
    }
  }

  parcel(): Parcel {
    const heads: Heads = {
      requests: this.#requests.all,
      since: this.#since ?? 0,
      ids: this.#ids,
      numbers: this.#numbers,
      rare: this.#rare,
    };
    return { heads: JSON.stringify(heads), bodies: this.#bodies.buffer };
  }

  #addExchange({ exchange, notRecorded }: Captured & { readonly kind: "exchange" }): void {
    const { id, arrivedAt, body, truncated, status, run, response } = exchange;
    const isRare = notRecorded !== undefined || status !== undefined || run !== undefined || response !== undefined;
    this.#since ??= arrivedAt;
    this.#ids.push(id);
    this.#numbers.push(
      EXCHANGE + (truncated ? IS_CUT : 0) + (isRare ? IS_RARE : 0),
      this.#requests.place(exchange),
      body.length,
      arrivedAt - this.#since,
    );
    this.#addBody(body);
    if (!isRare) return;
    const answer = response === undefined ? null : responseHeadOf(response);
    this.#rare.push([notRecorded !== undefined, status ?? null, run ?? null, answer]);
    if (response !== undefined) this.#addBody(response.body);
  }

  #addBody(body: Uint8Array): void {
    this.#bodies.set(body, this.#end);
    this.#end += body.length;
  }
}

/** What `pack` was given. `passedOver` is called, with its place, for an exchange whose `notRecorded` is called. */
export function unpack({ heads, bodies }: Parcel, passedOver: (index: number) => void): Captured[] {
  const unpacking = new Unpacking(JSON.parse(heads) as Heads, bodies);
  const all: Captured[] = [];
  while (unpacking.hasMore) all.push(unpacking.next(all.length, passedOver));
  return all;
}

class Unpacking {
  readonly #heads: Heads;
  readonly #bodies: ArrayBuffer;
  #id = 0;
  #number = 0;
  #nextRare = 0;
  #end = 0;

  constructor(heads: Heads, bodies: ArrayBuffer) {
    this.#heads = heads;
    this.#bodies = bodies;
  }

  get hasMore(): boolean {
    return this.#number < this.#heads.numbers.length;
  }

  next(index: number, passedOver: (index: number) => void): Captured {
    const what = this.#take();
    if (what === LOSS) {
      const [exchanges, why] = this.#rare() as LossHead;
      return { kind: "loss", exchanges, why };
    }
    const id = this.#heads.ids[this.#id++] ?? "";
    if (what === ANSWER) {
      const status = this.#take();
      return { kind: "answer", id, status: status === NONE ? undefined : status };
    }
    const exchange = this.#exchange(id, ((what - EXCHANGE) & IS_CUT) !== 0);
    if (((what - EXCHANGE) & IS_RARE) === 0) return { kind: "exchange", exchange, notRecorded: undefined };
    const [mayBePassedOver, ...rare] = this.#rare() as RareHead;
    const notRecorded = mayBePassedOver ? () => passedOver(index) : undefined;
    return { kind: "exchange", exchange: { ...exchange, ...this.#rarities(rare) }, notRecorded };
  }

  #exchange(id: string, truncated: boolean): Exchange {
    const place = this.#take();
    const request = this.#heads.requests[place];
    if (request === undefined) throw new RangeError(`a parcel has no request head ${place}`);
    const [scheme, method, host, port, target, headers] = request;
    const body = this.#body(this.#take());
    const arrivedAt = this.#heads.since + this.#take();
    return { id, arrivedAt, scheme, method, host, port, target, headers, body, truncated };
  }

  #rarities([status, run, response]: readonly [number | null, string | null, ResponseHead | null]): Partial<Exchange> {
    return {
      ...(status === null ? {} : { status }),
      ...(run === null ? {} : { run }),
      ...(response === null ? {} : { response: this.#response(response) }),
    };
  }

  #response([status, headers, truncated, bytes]: ResponseHead): ExchangeResponse {
    return { status, headers, truncated, body: this.#body(bytes) };
  }

  #body(bytes: number): Uint8Array {
    this.#end += bytes;
    return Buffer.from(this.#bodies, this.#end - bytes, bytes);
  }

  #take(): number {
    return this.#heads.numbers[this.#number++] ?? Number.NaN;
  }

  #rare(): RareHead | LossHead | undefined {
    return this.#heads.rare[this.#nextRare++];
  }
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

function responseHeadOf({ status, headers, truncated, body }: ExchangeResponse): ResponseHead {
  return [status, headers, truncated, body.length];
}
