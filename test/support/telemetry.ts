import { request } from "node:http";

export interface SentEvent {
  readonly name: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

const ENDPOINT = "http://mobile.events.data.microsoft.com/OneCollector/1.0/";

/** Sends one OneCollector request in plain HTTP through the proxy and resolves with the answer's status. */
export function sendEvents(proxyPort: number, events: readonly SentEvent[], startMs = Date.now()): Promise<number> {
  const body = events
    .map(({ name, data = {} }, index) =>
      JSON.stringify({
        ver: "4.0",
        name,
        time: new Date(startMs + index).toISOString(),
        iKey: "o:0123456789abcdef",
        data,
      }),
    )
    .join("\n");
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: proxyPort,
        method: "POST",
        path: ENDPOINT,
        headers: { Host: new URL(ENDPOINT).host, "Content-Length": Buffer.byteLength(body) },
      },
      (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** The clicks of a session that opens these chats. */
export function chatSwitches(chats: readonly string[]): SentEvent[] {
  return chats.map((chatId) => ({ name: "chat_switch", data: { Action: { Gesture: "click" }, chatId } }));
}

export const FIVE_CHATS = ["general", "design", "support", "release", "random"] as const;
