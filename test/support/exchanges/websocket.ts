import { once } from "node:events";
import { createServer } from "node:https";
import type { TestContext } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { open } from "../../../bench/peers/lane.ts";
import { type Outcome, sumOf, type Way } from "../both-ways.ts";
import type { LoopbackCertificate } from "../certificate.ts";
import { listening } from "../room.ts";
import { withoutAbsent } from "./http1.ts";

const MESSAGES = [Buffer.from("text"), Buffer.alloc(70_000, "long "), Buffer.alloc(0), Buffer.from([0, 255, 1])];

/** Who ends it, and how. */
const ENDINGS = ["server 4001", "server none", "server 1011", "server cut", "client 1000", "client 4999", "client cut"];

/** An echo server, which ends as it is told, and tells how it was ended. */
export async function socketOrigin(t: TestContext, { key, cert }: LoopbackCertificate) {
  const endings: string[] = [];
  const server = createServer({ key, cert });
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: { threshold: 10 },
    handleProtocols: (offered) => (offered.has("v2") ? "v2" : false),
  });
  sockets.on("connection", (socket, request) => {
    let count = 0;
    socket.on("message", (data, isBinary) => {
      count += 1;
      const [who, how] = decodeURIComponent((request.url ?? "").slice(1)).split(" ");
      const isLast = count === MESSAGES.length && who === "server";
      // Not before all is out: a cut takes along what is still waiting, with a proxy or without.
      socket.send(data, { binary: isBinary }, () => isLast && end(socket, how ?? ""));
    });
    socket.on("close", (code, reason) => endings.push(`${code} ${reason}`));
  });
  return { port: await listening(t, server), taken: (): string[] => endings.splice(0) };
}

function end(socket: WebSocket, how: string): void {
  if (how === "cut") socket.terminate();
  else if (how === "none") socket.close();
  else socket.close(Number(how), "as asked, ž");
}

type SocketOrigin = Awaited<ReturnType<typeof socketOrigin>>;

export async function socketExchanges(way: Way, origin: SocketOrigin, perMessageDeflate: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const ending of ENDINGS) outcomes.push(await converse(way, origin, { ending, perMessageDeflate }));
  return outcomes;
}

interface Conversation {
  readonly ending: string;
  readonly perMessageDeflate: boolean;
}

async function converse(way: Way, origin: SocketOrigin, { ending, perMessageDeflate }: Conversation): Promise<Outcome> {
  const through = await open(withoutAbsent({ ...way, host: "localhost", originPort: origin.port }));
  const url = `wss://localhost:${origin.port}/${encodeURIComponent(ending)}`;
  const socket = new WebSocket(url, ["v1", "v2"], { perMessageDeflate, createConnection: () => through });
  const order: string[] = [];
  const chunks: Buffer[] = [];
  socket.on("error", () => undefined);
  socket.on("message", (data: Buffer, isBinary) => {
    chunks.push(data);
    order.push(`${isBinary ? "binary" : "text"} ${data.length}`);
    const [who, how] = ending.split(" ");
    if (order.length === MESSAGES.length && who === "client") end(socket, how ?? "");
  });
  const upgraded = once(socket, "upgrade") as Promise<[{ readonly rawHeaders: string[] }]>;
  const opened = once(socket, "open");
  const closed = once(socket, "close") as Promise<[number, Buffer]>;
  const [{ rawHeaders }] = await upgraded;
  await opened;
  for (const [index, message] of MESSAGES.entries()) socket.send(message, { binary: index > 1 });
  const [code, reason] = await closed;
  const told = await ended(origin);
  return {
    status: "101",
    headers: [socket.protocol, ...withoutNonce(rawHeaders)],
    body: sumOf(Buffer.concat(chunks)),
    close: `${code}`,
    order: [...order, `client: ${code} ${reason}`, `server: ${told.join()}`],
  };
}

/** How the server saw it end. */
async function ended(origin: SocketOrigin): Promise<string[]> {
  for (;;) {
    const told = origin.taken();
    if (told.length > 0) return told;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The answer to the client's random key differs from time to time; `ws` has checked it. */
function withoutNonce(headers: readonly string[]): string[] {
  return headers.map((value, index) => (headers[index - 1]?.toLowerCase() === "sec-websocket-accept" ? "…" : value));
}
