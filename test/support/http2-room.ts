import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { TestContext } from "node:test";
import { createCertificateFor } from "../../certs/leaf.ts";
import { listening, type ProxyRoom, secureTunnel, tunnel } from "./room.ts";

export type StreamListener = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** An origin that speaks HTTP/2 alone, inside TLS unless `isClear`; the room's proxy trusts it. */
export async function http2Origin(
  t: TestContext,
  room: ProxyRoom,
  { onStream, isClear = false }: { readonly onStream: StreamListener; readonly isClear?: boolean },
): Promise<number> {
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const server = isClear ? createServer() : createSecureServer(pair);
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    onStream(stream, headers);
  });
  server.on("sessionError", () => undefined);
  return listening(t, server);
}

export interface SessionOptions {
  readonly port: number;
  readonly isClear?: boolean;
  /** A connection that is there already. */
  readonly through?: Socket;
}

/** A client's session through the proxy, in the clear or inside TLS. */
export async function http2Session(
  t: TestContext,
  room: ProxyRoom,
  { port, isClear = false, through }: SessionOptions,
): Promise<ClientHttp2Session> {
  const target = `127.0.0.1:${port}`;
  const open = (): Promise<Socket> =>
    isClear ? tunnel(t, room, target) : secureTunnel(t, room, target, { protocols: ["h2"] });
  const socket: Socket = through ?? (await open());
  const session = connect(`${isClear ? "http" : "https"}://${target}`, { createConnection: () => socket });
  session.on("error", () => undefined);
  t.after(() => session.destroy());
  return session;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request with its whole answer. */
export async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  pieces: readonly (string | Buffer)[] = [],
): Promise<StreamAnswer> {
  const stream = session.request(headers, { endStream: pieces.length === 0 });
  let trailers: IncomingHttpHeaders = {};
  stream.on("trailers", (more) => {
    trailers = more;
  });
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const answered = once(stream, "response") as Promise<[IncomingHttpHeaders]>;
  const ended = once(stream, "end");
  for (const piece of pieces) stream.write(piece);
  if (pieces.length > 0) stream.end();
  const [answer] = await answered;
  await ended;
  return { status: Number(answer[":status"]), headers: answer, trailers, body: Buffer.concat(chunks).toString() };
}

/** Answers a stream with what it was sent, and a trailer. */
export function echo(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => {
    stream.once("wantTrailers", () => stream.sendTrailers({ "x-sum": String(Buffer.concat(chunks).length) }));
    stream.respond({ ":status": 200, "x-path": headers[":path"] ?? "" }, { waitForTrailers: true });
    stream.end(Buffer.concat(chunks));
  });
}
