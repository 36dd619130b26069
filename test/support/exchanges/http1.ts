import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { open } from "../../../bench/peers/lane.ts";
import { type Outcome, sumOf, type Way } from "../both-ways.ts";
import type { Origin } from "../raw-origins.ts";

/** What is asked for one after another: all that may stand around a body, and answers without one. */
const ASKED = [
  ["POST", "/echo?q=%20ž", 70_000],
  ["PUT", "/echo", 0],
  ["DELETE", "/none", 3],
  ["GET", "/same", 0],
  ["HEAD", "/wrong", 0],
  ["PATCH", "/wrong", 500],
] as const;

/** One request and its answer, each on a connection of its own, by CONNECT and TLS or in absolute form. */
export async function http1Exchanges(way: Way, origin: Origin, form: "tunnel" | "absolute"): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [method, path, size] of ASKED) {
    outcomes.push(await exchange(way, origin, { form, method, path: encodeURI(decodeURI(path)), size }));
  }
  return outcomes;
}

interface Asked {
  readonly form: "tunnel" | "absolute";
  readonly method: string;
  readonly path: string;
  readonly size: number;
}

async function exchange(way: Way, origin: Origin, asked: Asked): Promise<Outcome> {
  const { form, method, path, size } = asked;
  const route = { ...way, host: "localhost", originPort: origin.port };
  const isAbsolute = form === "absolute" && way.proxyPort !== undefined;
  const socket =
    form === "tunnel" ? await open(withoutAbsent(route)) : connect(way.proxyPort ?? origin.port, "127.0.0.1");
  const client = httpRequest({
    createConnection: () => socket,
    method,
    path: isAbsolute ? `http://localhost:${origin.port}${path}` : path,
    headers: ["Host", "localhost", "x-LOWER", "1", "X-Twice", "a", "X-Twice", "b", "Transfer-Encoding", "chunked"],
  });
  const order: string[] = [];
  client.on("information", ({ statusCode, rawHeaders }) => order.push(`${statusCode} ${rawHeaders.join(" ")}`));
  const answered = once(client, "response") as Promise<[IncomingMessage]>;
  client.addTrailers([["X-After", String(size)]]);
  client.end(Buffer.alloc(size, "payload "));
  const [answer] = await answered;
  const chunks: Buffer[] = [];
  answer.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(answer, "end");
  socket.destroy();
  const { statusCode, statusMessage, httpVersion, rawHeaders: headers, rawTrailers: trailers } = answer;
  return {
    status: `${statusCode}`,
    headers: [`HTTP/${httpVersion} ${statusMessage}`, ...headers],
    body: sumOf(Buffer.concat(chunks)),
    trailers,
    order,
    received: origin.taken(),
  };
}

/** Twenty requests written at once; what comes back is compared as bytes, so that nothing of the wire can differ. */
export async function pipelined(way: Way, origin: Origin): Promise<Outcome[]> {
  const socket = await open(withoutAbsent({ ...way, host: "localhost", originPort: origin.port }));
  const requests = Array.from({ length: 20 }, (_, index) => {
    const body = `${index}`.repeat(1 + index * 50);
    const last = index === 19 ? "Connection: close\r\n" : "";
    return `POST /quiet?${index} HTTP/1.1\r\nhOST: x\r\nX-Odd:   padded \r\n${last}Content-Length: ${body.length}\r\n\r\n${body}`;
  });
  socket.write(requests.join(""));
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "end");
  socket.destroy();
  const wire = Buffer.concat(chunks);
  const heads = wire.toString("latin1").match(/^HTTP\/1\.1 201 .*$/gm) ?? [];
  return [{ status: "201", headers: [...heads], body: sumOf(wire), order: urls(origin), close: "end" }];
}

/** The targets in the order in which they arrived. */
function urls(origin: Origin): string[] {
  return origin.taken().map((one) => String((one as { readonly url?: unknown }).url));
}

/** Without a proxy there is no port of one. */
export function withoutAbsent<T extends { readonly proxyPort: number | undefined }>({ proxyPort, ...rest }: T) {
  return { ...rest, ...(proxyPort === undefined ? {} : { proxyPort }) };
}
