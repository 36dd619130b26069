import { isObject, type JsonObject, type JsonValue } from "../../proxy/record/json.ts";

/** Endpoints remembered, and unread bodies that wait to learn whether their endpoint carries telemetry. */
const MAX_REMEMBERED = 10_000;

/**
 * Tells unreadable bodies that matter (a request of a telemetry endpoint is missing from the trace) from those that do
 * not (some page that happened to be captured). An endpoint, host and path, carries telemetry when a decoder claims the
 * record, when the proxy says so, or when another request to it gave events, before or after.
 */
export class Endpoints {
  readonly #telemetry = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  #last = "";

  /** An event of this `$capture` could be read. Settles earlier bodies of the same endpoint. */
  decoded(capture: JsonValue | undefined): void {
    if (!isObject(capture)) return;
    const { host, path } = capture;
    if (typeof host === "string" && typeof path === "string") this.decodedAt(`${host}\n${path}`);
  }

  /** As `decoded`, for an endpoint that is already put together: its host, a line break, its path. */
  decodedAt(endpoint: string): void {
    if (endpoint === this.#last) return;
    this.#last = endpoint;
    if (this.#telemetry.size < MAX_REMEMBERED) this.#telemetry.add(endpoint);
    const report = this.#waiting.get(endpoint);
    this.#waiting.delete(endpoint);
    report?.();
  }

  /** A body could not be read; `report` is called, now or later, when that is a gap. */
  undecoded(capture: JsonObject, report: (why: string) => void): void {
    const format = String(capture["format"] ?? "raw");
    const why = `a request of ${String(capture["host"])} could not be read: ${String(capture["undecoded"] ?? "it was cut")}`;
    const endpoint = `${String(capture["host"])}\n${String(capture["path"])}`;
    if (format !== "raw" || capture["known"] === true || this.#telemetry.has(endpoint)) {
      report(why);
      return;
    }
    this.#wait(endpoint, () => report(why));
  }

  /** Only the first unread body of an endpoint waits: one gap says as much as many. */
  #wait(endpoint: string, report: () => void): void {
    if (this.#waiting.size >= MAX_REMEMBERED || this.#waiting.has(endpoint)) return;
    this.#last = "";
    this.#waiting.set(endpoint, report);
  }
}
