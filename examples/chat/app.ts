import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CHATS, TEAMMATES } from "./chats.ts";
import type { Telemetry, TelemetryCounts } from "./telemetry.ts";

/** The running chat app. */
export interface ChatApp {
  /** Base address, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Ends the session: says so in telemetry, delivers what is queued (at most 15 s), stops listening. */
  close(): Promise<TelemetryCounts>;
}

/**
 * Starts the chat app on a free loopback port. It answers GET /chats and GET /state, and takes what a user does:
 * POST /open {"chat": ID}, POST /hover {"chat": ID}, POST /toggle {"panel": NAME}, POST /scroll {"rows": N}. Each
 * action changes the app's state and is told to `telemetry`; a wrong request is answered 4xx and tells nothing.
 */
export async function startApp(telemetry: Telemetry): Promise<ChatApp> {
  const session: Session = { telemetry, openChat: undefined, opened: 0, startedAt: Date.now() };
  const server = createServer((request, response) => {
    answer(session, request, response).catch(() => response.destroy());
  });
  await listen(server);
  telemetry.track("session_start", { appVersion: "1.0.0", platform: process.platform, chats: CHATS.length });
  telemetry.track("app_ready", { startupMs: Math.round(process.uptime() * 1000) });
  const presence = showPresence(telemetry);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      clearInterval(presence);
      telemetry.track("session_end", { opened: session.opened, durationMs: Date.now() - session.startedAt });
      const counts = await telemetry.close(PATIENCE_MS);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return counts;
    },
  };
}

interface Session {
  readonly telemetry: Telemetry;
  readonly startedAt: number;
  openChat: string | undefined;
  opened: number;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const PRESENCE_EVERY_MS = 30;
/** On a machine under load the last batch can take seconds; what it holds must not depend on the load. */
const PATIENCE_MS = 15_000;
const MAX_BODY_BYTES = 4096;

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}

/** Background noise, as every chat app has: each teammate changes presence once. */
function showPresence(telemetry: Telemetry): NodeJS.Timeout {
  let next = 0;
  const timer = setInterval(() => {
    const user = TEAMMATES[next++];
    if (user === undefined) return clearInterval(timer);
    telemetry.track("presence_update", { user, status: next % 3 === 0 ? "away" : "available" });
  }, PRESENCE_EVERY_MS);
  return timer;
}

async function answer(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const route = `${request.method} ${request.url ?? ""}`;
  const reply = body === undefined ? wrong(400, "the body is no JSON object") : act(session, route, body);
  response.writeHead(reply.status, { "content-type": "application/json" });
  response.end(JSON.stringify(reply.body));
}

/** The request's JSON object ({} when there is no body); undefined when it is anything else or over the cap. */
async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BODY_BYTES) return undefined;
  }
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function act(session: Session, route: string, body: Record<string, unknown>): Reply {
  switch (route) {
    case "GET /chats":
      return { status: 200, body: CHATS.map(({ id, title }) => ({ id, title })) };
    case "GET /state":
      return { status: 200, body: { openChat: session.openChat ?? null } };
    case "POST /open":
      return openChat(session, body["chat"]);
    case "POST /hover":
      return gesture(session, "chat_hover", { Action: { Gesture: "hover" }, chatId: body["chat"] });
    case "POST /toggle":
      return gesture(session, "panel_toggled", { Action: { Gesture: "click" }, panel: body["panel"] });
    case "POST /scroll":
      return gesture(session, "list_scrolled", { Action: { Gesture: "scroll" }, rows: body["rows"] });
    default:
      return wrong(404, `nothing answers ${route}`);
  }
}

function openChat(session: Session, id: unknown): Reply {
  const chat = CHATS.find((known) => known.id === id);
  if (chat === undefined) return wrong(404, "no such chat");
  const previous = session.openChat ?? null;
  session.openChat = chat.id;
  session.opened += 1;
  const click = { Gesture: "click", Target: "chat-list" };
  session.telemetry.track("chat_switch", { Action: click, chatId: chat.id, previous, position: session.opened });
  chat.messages.forEach((text, index) => {
    session.telemetry.track("message_rendered", { chatId: chat.id, index, length: text.length });
  });
  return { status: 200, body: { openChat: chat.id, messages: chat.messages } };
}

function gesture(session: Session, name: string, data: Record<string, unknown>): Reply {
  session.telemetry.track(name, data);
  return { status: 200, body: { ok: true } };
}

function wrong(status: number, problem: string): Reply {
  return { status, body: { problem } };
}
