import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { createCertificateFor } from "../../../../certs/leaf.ts";
import { type ProxyRoom, proxyRoom, until } from "../../../support/room.ts";

const asIs = (bytes: Buffer): Buffer => bytes;
const method = (name: string, isStreamed: boolean) => ({
  path: `/test.Echo/${name}`,
  requestStream: isStreamed,
  responseStream: isStreamed,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});

/** An echo service: unary, bidirectional, and one call that fails. */
async function grpcOrigin(t: TestContext, room: ProxyRoom): Promise<number> {
  const server = new Server();
  const service = { unary: method("Unary", false), both: method("Both", true), fails: method("Fails", false) };
  server.addService(service, {
    unary: ({ request, metadata }: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      const trailer = new Metadata();
      trailer.set("x-seen", metadata.get("x-asked")[0] ?? "");
      done(null, request, trailer);
    },
    both: (call: ServerDuplexStream<Buffer, Buffer>) => {
      call.on("data", (bytes: Buffer) => call.write(bytes));
      call.on("end", () => call.end());
    },
    fails: (_: unknown, done: sendUnaryData<Buffer>) => done({ code: status.RESOURCE_EXHAUSTED, details: "too much" }),
  });
  const { key, cert } = await createCertificateFor(room.originAuthority)("localhost");
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createSsl(null, [pair]), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  t.after(() => server.forceShutdown());
  return port;
}

async function conversation(client: Client): Promise<unknown> {
  const metadata = new Metadata();
  metadata.set("x-asked", "me");
  const unary = await new Promise((resolve, reject) => {
    let seen: unknown;
    const call = client.makeUnaryRequest(
      "/test.Echo/Unary",
      asIs,
      asIs,
      Buffer.alloc(200_000, 7),
      metadata,
      (error, answer) => {
        if (error) reject(error);
        else setImmediate(() => resolve([answer?.length, seen]));
      },
    );
    call.on("status", ({ code, metadata: trailers }) => {
      seen = [code, trailers.get("x-seen")];
    });
  });
  const failed = await new Promise((resolve) => {
    client.makeUnaryRequest("/test.Echo/Fails", asIs, asIs, Buffer.from("x"), (error) =>
      resolve([error?.code, error?.details]),
    );
  });
  const streamed = await new Promise((resolve, reject) => {
    const call = client.makeBidiStreamRequest("/test.Echo/Both", asIs, asIs);
    const echoed: string[] = [];
    call.on("data", (bytes: Buffer) => {
      echoed.push(bytes.toString());
      if (echoed.length < 5) call.write(Buffer.from(`m${echoed.length}`));
      else call.end();
    });
    call.on("error", reject);
    call.on("end", () => resolve(echoed));
    call.write(Buffer.from("m0"));
  });
  client.close();
  return { unary, failed, streamed };
}

/** grpc-js reads its proxy from the environment, each time a channel is made. */
function withProxy<T>(port: number, make: () => T): T {
  process.env["grpc_proxy"] = `http://127.0.0.1:${port}`;
  try {
    return make();
  } finally {
    delete process.env["grpc_proxy"];
  }
}

test("grpc-js, unary and streaming both ways, is the same as without the proxy, and its calls are recorded", async (t) => {
  const room = await proxyRoom(t);
  const port = await grpcOrigin(t, room);
  const trust = (pem: string) => credentials.createSsl(Buffer.from(pem));
  const direct = await conversation(new Client(`localhost:${port}`, trust(room.originAuthority.certPem)));
  const through = withProxy(room.port, () => new Client(`localhost:${port}`, trust(room.authority.certPem)));
  assert.deepEqual(await conversation(through), direct);
  assert.deepEqual(direct, {
    unary: [200_000, [0, ["me"]]],
    failed: [status.RESOURCE_EXHAUSTED, "too much"],
    streamed: ["m0", "m1", "m2", "m3", "m4"],
  });
  await until(() => room.answers.size === 3, "all calls are over");
  const sizes = room.exchanges.map(({ target, body, truncated }) => [target, body.length, truncated]);
  assert.deepEqual(sizes, [
    ["/test.Echo/Unary", 200_005, false],
    ["/test.Echo/Fails", 6, false],
    ["/test.Echo/Both", 5 * 7, false],
  ]);
  assert.deepEqual([room.proxy.counts.opaque, room.proxy.counts.hookErrors], [0, 0]);
});

test("offline, a gRPC call is answered with an empty message and status 0, and recorded", async (t) => {
  const room = await proxyRoom(t, { sink: () => ({ status: 200, headers: [], body: Buffer.alloc(0) }) });
  const client = withProxy(
    room.port,
    () => new Client("collector.test:4317", credentials.createSsl(Buffer.from(room.authority.certPem))),
  );
  const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
    client.makeUnaryRequest("/any.Service/Export", asIs, asIs, Buffer.from("data"), (error, value) =>
      error ? reject(error) : resolve(value),
    );
  });
  client.close();
  assert.equal(answer?.length, 0);
  const [exchange] = room.exchanges;
  assert.deepEqual(
    [exchange?.host, exchange?.target, Buffer.from(exchange?.body ?? []).toString("latin1")],
    ["collector.test", "/any.Service/Export", "\0\0\0\0\u0004data"],
  );
});
