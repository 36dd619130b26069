import type { JsonObject } from "../../../proxy/record/json.ts";
import { stringifyJson } from "../../../proxy/record/json.ts";

/** One message of a stream. */
export interface Message {
  readonly event: "telemetry" | "result" | "live" | "page";
  readonly data: JsonObject;
}

const KEEP_ALIVE_MS = 15_000;
/** Messages that a slow reader may be behind; what comes then is not sent, and the reader is told how much. */
const MOST_BEHIND = 1000;

/**
 * Server-sent events (WHATWG HTML, section 9.2) from a source that is told where to send until the signal comes. A
 * reader that is too slow misses messages, and is told so; it never fills the memory.
 */
export function eventStream(
  signal: AbortSignal,
  begin: (send: (message: Message) => void) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let missed = 0;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const put = (text: string): void => controller.enqueue(encoder.encode(text));
        put(": waymark\n\n");
        const timer = setInterval(() => put(": still here\n\n"), KEEP_ALIVE_MS);
        timer.unref();
        const end = (): void => {
          clearInterval(timer);
          try {
            controller.close(); // the server stops, and so may its reader
          } catch {
            // the reader went first
          }
        };
        signal.addEventListener("abort", end, { once: true });
        begin(({ event, data }) => {
          if (signal.aborted) return;
          if ((controller.desiredSize ?? 0) <= 0) {
            missed += 1;
            return;
          }
          if (missed > 0) put(`event: missed\ndata: {"messages":${missed}}\n\n`);
          missed = 0;
          put(`event: ${event}\ndata: ${stringifyJson(data)}\n\n`);
        });
      },
    },
    { highWaterMark: MOST_BEHIND },
  );
}
