import WebSocket from "ws";
import { isObject, type JsonObject, parseJson } from "../../../proxy/record/json.ts";

/** One message of a browser that answers no command. */
export interface DevtoolsEvent {
  readonly method: string;
  readonly params: JsonObject;
  /** The page it is about; absent for the browser itself. */
  readonly session?: string;
}

/** A connection to a browser by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/). */
export interface Devtools {
  /** Sends a command; undefined when the browser refused it, did not answer in time, or is gone. Never rejects. */
  send(method: string, params?: JsonObject, session?: string): Promise<JsonObject | undefined>;
  /** Resolves when the connection is over, from either side. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A browser under load answers late; one that hangs must not hold the end of a run. */
const ANSWER_MS = 3000;
/** A screenshot of a tall page in base64 stays far below; nothing else is large. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Connects to `url` (`ws://127.0.0.1:PORT/devtools/browser/ID`); undefined when nothing answers there. */
export function connectDevtools(url: string, onEvent: (event: DevtoolsEvent) => void): Promise<Devtools | undefined> {
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: ANSWER_MS,
  });
  const waiting = new Map<number, (answer: JsonObject | undefined) => void>();
  let lastId = 0;
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  void closed.then(() => {
    for (const answer of waiting.values()) answer(undefined);
  });
  socket.on("message", (data) => {
    const message = readMessage(String(data));
    const id = message["id"];
    if (typeof id === "number") waiting.get(id)?.(isObject(message["result"]) ? message["result"] : undefined);
    else if (typeof message["method"] === "string") onEvent(eventOf(message["method"], message));
  });
  const send: Devtools["send"] = (method, params = {}, session) =>
    new Promise((resolve) => {
      if (socket.readyState !== WebSocket.OPEN) return resolve(undefined);
      const id = ++lastId;
      const timer = setTimeout(() => waiting.get(id)?.(undefined), ANSWER_MS);
      waiting.set(id, (answer) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(answer);
      });
      socket.send(JSON.stringify({ id, method, params, ...(session === undefined ? {} : { sessionId: session }) }));
    });
  return new Promise((resolve) => {
    socket.on("error", () => resolve(undefined)); // what ended a connection is told by its end
    socket.once("open", () => resolve({ send, closed, close: () => socket.terminate() }));
  });
}

function readMessage(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {}; // not the protocol: nothing to answer and nothing to learn
  }
}

function eventOf(method: string, { params, sessionId }: JsonObject): DevtoolsEvent {
  return {
    method,
    params: isObject(params) ? params : {},
    ...(typeof sessionId === "string" ? { session: sessionId } : {}),
  };
}
