import type { TestContext } from "node:test";
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { type Outcome, sumOf, type Way } from "../both-ways.ts";
import type { LoopbackCertificate } from "../certificate.ts";

const asIs = (bytes: Buffer): Buffer => bytes;
const method = (name: string, requestStream: boolean, responseStream: boolean) => ({
  path: `/test.Echo/${name}`,
  requestStream,
  responseStream,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});
const SERVICE = {
  unary: method("Unary", false, false),
  fails: method("Fails", false, false),
  up: method("Up", true, false),
  down: method("Down", false, true),
  both: method("Both", true, true),
};
const SIZES = [0, 1, 1000, 200_000, 30];

function trailer(asked: Metadata): Metadata {
  const metadata = new Metadata();
  metadata.set("x-seen", asked.get("x-asked")[0] ?? "");
  metadata.set("x-raw-bin", Buffer.from([0, 255, 7]));
  return metadata;
}

/** A service with a call of each kind, and one that fails. */
export async function grpcOrigin(t: TestContext, { key, cert }: LoopbackCertificate): Promise<number> {
  const server = new Server();
  server.addService(SERVICE, {
    unary: ({ request, metadata }: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) =>
      done(null, request, trailer(metadata)),
    fails: ({ metadata }: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) =>
      done({ code: status.RESOURCE_EXHAUSTED, details: "too much, ž", metadata: trailer(metadata) }),
    up: (call: ServerReadableStream<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      const chunks: Buffer[] = [];
      call.on("data", (bytes: Buffer) => chunks.push(bytes));
      call.on("end", () => done(null, Buffer.concat(chunks), trailer(call.metadata)));
    },
    down: (call: ServerWritableStream<Buffer, Buffer>) => {
      for (const size of SIZES) call.write(Buffer.alloc(size, call.request));
      call.end(trailer(call.metadata));
    },
    both: (call: ServerDuplexStream<Buffer, Buffer>) => {
      call.on("data", (bytes: Buffer) => call.write(bytes));
      call.on("end", () => call.end(trailer(call.metadata)));
    },
  });
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createSsl(null, [pair]), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  t.after(() => server.forceShutdown());
  return port;
}

/** What the calls of `SERVICE` have in common, as a client makes them. */
interface Call {
  on(event: "metadata", listener: (metadata: Metadata) => void): unknown;
  on(event: "status", listener: (status: StatusObject) => void): unknown;
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
  on(event: "error", listener: () => void): unknown;
}

/** One call of each kind on one channel. */
export async function grpcCalls(way: Way, port: number): Promise<Outcome[]> {
  const client = channelTo(way, port);
  const asked = new Metadata();
  asked.set("x-asked", "me");
  const ignore = (): void => undefined;
  const once = (name: string, bytes: Buffer): Promise<Outcome> =>
    outcomeOf((keep) => client.makeUnaryRequest(name, asIs, asIs, bytes, asked, (_, answer) => keep(answer)));
  const outcomes = [
    await once(SERVICE.unary.path, Buffer.alloc(200_000, 7)),
    await once(SERVICE.fails.path, Buffer.from("x")),
    await outcomeOf((keep) => {
      const call = client.makeClientStreamRequest(SERVICE.up.path, asIs, asIs, asked, (_, answer) => keep(answer));
      for (const size of SIZES) call.write(Buffer.alloc(size, "up "));
      call.end();
      return call;
    }),
    await outcomeOf(() => client.makeServerStreamRequest(SERVICE.down.path, asIs, asIs, Buffer.from("down "), asked)),
    await outcomeOf(() => {
      const call = client.makeBidiStreamRequest(SERVICE.both.path, asIs, asIs, asked);
      let echoed = 0;
      call.on("data", () => {
        echoed += 1;
        if (echoed < SIZES.length) call.write(Buffer.alloc(SIZES[echoed] ?? 0, "both "));
        else call.end();
      });
      call.on("error", ignore);
      call.write(Buffer.alloc(3, "both "));
      return call;
    }),
  ];
  client.close();
  return outcomes;
}

/** grpc-js reads its proxy from the environment, each time a channel is made. */
function channelTo({ proxyPort, ca }: Way, port: number): Client {
  const trusted = credentials.createSsl(Buffer.from(ca));
  if (proxyPort === undefined) return new Client(`localhost:${port}`, trusted);
  process.env["grpc_proxy"] = `http://127.0.0.1:${proxyPort}`;
  try {
    return new Client(`localhost:${port}`, trusted);
  } finally {
    delete process.env["grpc_proxy"];
  }
}

async function outcomeOf(make: (keep: (answer: Buffer | undefined) => void) => Call): Promise<Outcome> {
  const chunks: Buffer[] = [];
  const order: string[] = [];
  let headers: readonly string[] = [];
  const take = (bytes: Buffer | undefined): void => {
    if (bytes === undefined) return;
    chunks.push(bytes);
    order.push(`message of ${bytes.length}`);
  };
  const call = make(take);
  call.on("error", () => undefined);
  call.on("metadata", (metadata) => {
    headers = flat(metadata);
    order.push("metadata");
  });
  call.on("data", take);
  const { code, details, metadata } = await new Promise<StatusObject>((resolve) => {
    call.on("status", (ended) => setImmediate(resolve, ended));
  });
  return {
    status: status[code] ?? code,
    headers,
    body: sumOf(Buffer.concat(chunks)),
    trailers: flat(metadata),
    close: details === "" || details === "OK" ? "" : details,
    order,
  };
}

/** The server's own clock is not compared. */
function flat(metadata: Metadata): string[] {
  return Object.entries(metadata.toHttp2Headers()).flatMap(([name, value]) =>
    name === "date" ? [] : [name, String(value)],
  );
}
