import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { RawHeaders } from "../record/exchange.ts";
import type { SinkAnswer } from "./interceptor.ts";
import { pairHeaders } from "./raw-headers.ts";
import type { RequestFacts } from "./recorder.ts";

/** A length-prefixed message without content: the default of every gRPC answer. */
const EMPTY_MESSAGE = Buffer.alloc(5);
/** What belongs to a connection of HTTP/1 alone (RFC 9113 section 8.2.2). */
const OF_CONNECTION = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);

/** Told of a request when its head has come. */
export type BeginVisit = (facts: RequestFacts) => StreamVisit;

export interface StreamVisit {
  body(bytes: Buffer): void;
  /** The request is whole. */
  answer(): SinkAnswer;
  /** The stream is gone. */
  close(): void;
}

/** Answers HTTP/2 on a connection until it ends. */
export function serveHttp2(socket: Socket, begin: BeginVisit): void {
  const server = createServer();
  server.on("stream", (stream, headers) => serve(begin, stream, pairHeaders(flat(headers))));
  server.on("sessionError", () => undefined); // the session ends, which its streams tell
  server.emit("connection", streamOf(socket));
}

/**
 * The socket as a stream without a handle: Node's HTTP/2 takes over handles, and gets nothing from that of a server's TLS
 * that was put upon a socket which had been read before.
 */
function streamOf(socket: Socket): Duplex {
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroySoon();
      done(error);
    },
  });
  socket.on("data", (chunk: Buffer) => {
    if (!stream.push(chunk)) socket.pause();
  });
  socket.once("end", () => stream.push(null));
  socket.once("close", () => stream.destroy());
  return stream;
}

function flat(headers: IncomingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
}

function serve(begin: BeginVisit, stream: ServerHttp2Stream, headers: RawHeaders): void {
  stream.on("error", () => undefined);
  const pseudo = (wanted: string): string => headers.find(([name]) => name === wanted)?.[1] ?? "";
  const own = headers.filter(([name]) => !name.startsWith(":"));
  const facts = {
    method: pseudo(":method"),
    target: pseudo(":path"),
    headers: [["host", pseudo(":authority")] as const, ...own],
  };
  const visit = begin(facts);
  const isGrpc = own.some(([name, value]) => name === "content-type" && value.startsWith("application/grpc"));
  stream.on("data", (bytes: Buffer) => visit.body(bytes));
  stream.once("end", () => respond(stream, visit.answer(), isGrpc));
  stream.once("close", () => visit.close());
}

/** gRPC wants a message, and its status in the trailers. */
function respond(stream: ServerHttp2Stream, { status, headers, body }: SinkAnswer, isGrpc: boolean): void {
  if (stream.destroyed) return;
  const isReplaced = isGrpc && body.length === 0; // and with it the length that an answer of no bytes states
  const isKept = (name: string): boolean => !OF_CONNECTION.has(name) && !(isReplaced && name === "content-length");
  const kept = headers.filter(([name]) => isKept(name.toLowerCase()));
  const fields = Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value]));
  const head = { ...fields, ":status": status, ...(isGrpc ? { "content-type": "application/grpc" } : {}) };
  if (isGrpc) stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.respond(head, { waitForTrailers: isGrpc });
  stream.end(isReplaced ? EMPTY_MESSAGE : body);
}
