import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { open } from "../../../bench/peers/lane.ts";
import { type Outcome, sumOf, type Way } from "../both-ways.ts";
import { type Origin, TOGETHER } from "../raw-origins.ts";
import { withoutAbsent } from "./http1.ts";

/** A hundred streams open at once on one connection, each with a body of its own size both ways. */
export async function hundredStreams(way: Way, origin: Origin): Promise<Outcome[]> {
  const route = { ...way, host: "localhost", originPort: origin.port, protocol: "h2" as const };
  const socket = await open(withoutAbsent(route));
  const session = connect(`https://localhost:${origin.port}`, { createConnection: () => socket });
  await once(session, "remoteSettings"); // how many streams it takes
  const order: string[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: TOGETHER }, (_, index) => oneStream(session, index, () => order.push(String(index)))),
  );
  const closed = once(session, "close");
  session.close();
  await closed;
  const received = origin.taken();
  const [first, ...others] = outcomes;
  if (first === undefined) throw new Error("no stream");
  return [{ ...first, order, received }, ...others];
}

async function oneStream(session: ClientHttp2Session, index: number, whenAnswered: () => void): Promise<Outcome> {
  const stream = session.request({
    ":method": "POST",
    ":path": `/together/${index}`,
    "x-index": String(index),
    cookie: ["a=1", "b=2"],
  });
  let headers: readonly string[] = [];
  let trailers: readonly string[] = [];
  stream.on("response", (...given: readonly unknown[]) => {
    headers = rawOf(given[2]);
    whenAnswered();
  });
  stream.on("trailers", (...given: readonly unknown[]) => {
    trailers = rawOf(given[2]);
  });
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = once(stream, "close");
  stream.end(Buffer.alloc(index * 997, `stream ${index} `));
  await closed;
  const close = `rst ${stream.rstCode}`;
  return { status: headers[1] ?? "", headers, body: sumOf(Buffer.concat(chunks)), trailers, close };
}

/** Names and values in turn, as they were on the wire; Node hands them to the listener as its third argument. */
function rawOf(given: unknown): readonly string[] {
  if (!Array.isArray(given)) throw new Error("no raw headers here");
  return given.map(String);
}
