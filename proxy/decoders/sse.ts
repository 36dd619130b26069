import { type JsonValue, parseJson } from "../record/json.ts";

/** One server-sent event. */
export interface ServerEvent {
  readonly event?: string;
  readonly data: string;
}

/**
 * Takes an event stream apart (WHATWG HTML, "Server-sent events"). Comments and fields other than `event` and `data` are
 * skipped. A last event without its blank line is given too: a stream may be cut, and its reader decides.
 */
export function serverEvents(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  for (const block of text.split(/\r\n\r\n|\n\n|\r\r/)) {
    let event: string | undefined;
    const data: string[] = [];
    for (const line of block.split(/\r\n|\n|\r/)) {
      const [, field, value = ""] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "event") event = value;
      if (field === "data") data.push(value);
    }
    if (data.length > 0) events.push({ ...(event === undefined ? {} : { event }), data: data.join("\n") });
  }
  return events;
}

/** The JSON values of an event stream, in order; what is no JSON (`[DONE]`, a cut end) is left out. */
export function serverValues(text: string): JsonValue[] {
  return serverEvents(text).flatMap(({ data }): JsonValue[] => {
    try {
      return [parseJson(data)];
    } catch {
      return []; // `[DONE]`, or the end of a stream that was cut
    }
  });
}
