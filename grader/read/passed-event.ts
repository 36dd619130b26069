import { type JsonValue, parseJson } from "../../proxy/record/json.ts";
import { FIELD, QUICK, RECORD } from "./line-kernel.ts";

const QUOTE = 34;

/**
 * An event that is known to be whole and that nobody has to see: only what is read of every event can be asked for. One
 * object serves all lines of a log, each until the next one comes.
 */
export class PassedEvent {
  readonly bytes: Buffer;
  readonly #records: Uint32Array;
  #base = 0;
  #endpoint: string | undefined;
  #endpointBytes: Buffer = Buffer.alloc(0);
  /** Set by whoever reads times: what `time` says in milliseconds, so that it is read once for all scenarios. */
  commonMs: number | undefined;
  /** Its name, where somebody counts the events of that name; else undefined. */
  countedName: string | undefined;

  constructor(bytes: Buffer, records: Uint32Array) {
    this.bytes = bytes;
    this.#records = records;
  }

  /** Turns to the line with this record. */
  moveTo(line: number): void {
    this.#base = line * RECORD;
    this.commonMs = undefined;
    this.countedName = undefined;
  }

  /** Its line was taken for readable. */
  get isUnchecked(): boolean {
    return this.#records[this.#base + FIELD.kind] === QUICK;
  }

  start(field: number): number {
    return this.#records[this.#base + field] ?? 0;
  }

  end(field: number): number {
    return this.#records[this.#base + field + 1] ?? 0;
  }

  /** The value of the field when it is a text or a number, else undefined. */
  value(field: number): JsonValue | undefined {
    const end = this.end(field);
    if (end === 0) return undefined;
    const start = this.start(field);
    const first = this.bytes[start] ?? 0;
    if (first !== QUOTE && first !== 45 && (first < 48 || first > 57)) return undefined;
    return parseJson(this.bytes.toString("utf8", start, end));
  }

  /** `$capture.seq`; null stands for every value that is neither text nor number. */
  seq(): JsonValue | undefined {
    const start = this.start(FIELD.seq);
    const end = this.end(FIELD.seq);
    if (end === 0) return undefined;
    if (end - start > 15) return this.value(FIELD.seq) ?? null;
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = (this.bytes[at] ?? 0) - 48;
      if (digit < 0 || digit > 9) return this.value(FIELD.seq) ?? null;
      value = value * 10 + digit;
    }
    return value;
  }

  /** `$capture.host` and `$capture.path` with a line break between them; undefined when they are not both texts. */
  endpoint(): string | undefined {
    if (!this.#hasSameEndpoint()) {
      const host = this.value(FIELD.host);
      const path = this.value(FIELD.path);
      this.#endpoint = typeof host === "string" && typeof path === "string" ? `${host}\n${path}` : undefined;
      this.#endpointBytes = Buffer.concat([this.#slice(FIELD.host), this.#slice(FIELD.path)]);
    }
    return this.#endpoint;
  }

  /** The bytes of host and path as they stand in the line; undefined when it has neither. */
  endpointBytes(): { readonly host: Buffer; readonly path: Buffer } | undefined {
    const [host, path] = [this.#slice(FIELD.host), this.#slice(FIELD.path)];
    return host.length + path.length === 0 ? undefined : { host, path };
  }

  #hasSameEndpoint(): boolean {
    const known = this.#endpointBytes;
    const length = this.#length(FIELD.host) + this.#length(FIELD.path);
    if (known.length !== length) return false;
    return this.#isAt(FIELD.host, 0) && this.#isAt(FIELD.path, this.#length(FIELD.host));
  }

  #isAt(field: number, from: number): boolean {
    const start = this.start(field);
    const length = this.#length(field);
    for (let at = 0; at < length; at++) if (this.bytes[start + at] !== this.#endpointBytes[from + at]) return false;
    return true;
  }

  #length(field: number): number {
    const end = this.end(field);
    return end === 0 ? 0 : end - this.start(field);
  }

  #slice(field: number): Buffer {
    return this.bytes.subarray(this.start(field), this.start(field) + this.#length(field));
  }
}
