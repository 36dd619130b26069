import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { connect as connectTls } from "node:tls";
import { openAuthority } from "../../../certs/authority.ts";
import { createCertificateFor } from "../../../certs/leaf.ts";
import { gradeLogs } from "../../../grader/grade.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { createGapMarks } from "../../../proxy/gap-marks.ts";
import { startInterceptor } from "../../../proxy/intercept/index.ts";
import { startSession } from "../../../proxy/session.ts";
import { startTestCollector, type TestCollector } from "../../support/collector.ts";
import { readAll, readHead } from "../../support/room.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { controlsOf, seriesLines } from "../../support/series.ts";

const SCENARIO = "waymark: 1\nscenario: two\nmarkers:\n  - { event: seen }\n  - { event: never_seen }\n";

/** A capture that is to show two collectors, one trusted by all and one whose clients pin their own certificate. */
async function stage(t: TestContext, hosts?: readonly string[]) {
  const folder = scratchFolder(t);
  const { authority } = await openAuthority(join(folder, "ca"));
  const open = await startTestCollector(t, scratchFolder(t), ["localhost"]);
  const pinned = await startTestCollector(t, scratchFolder(t), ["localhost"]);
  const dir = join(folder, "log");
  const session = await startSession(
    {
      log: { dir, name: "t", maxFileBytes: 1_000_000 },
      interceptor: {
        listen: "127.0.0.1",
        port: 0,
        certificateFor: createCertificateFor(authority),
        map: new Map(),
        maxBodyBytes: 1_000_000,
        insecureUpstream: true,
      },
      hosts: hosts ?? [`localhost:${open.port}`, `localhost:${pinned.port}`],
      bypass: [],
      all: true,
      sink: false,
      redact: [],
    },
    { startInterceptor },
  );
  t.after(() => session.close());
  return { session, dir, open, pinned, port: session.address.port, ourCa: authority.certPem };
}

type Stage = Awaited<ReturnType<typeof stage>>;

async function tunnelTo({ port }: Stage, target: TestCollector): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`CONNECT localhost:${target.port} HTTP/1.1\r\n\r\n`);
  await readHead(socket);
  return socket;
}

/** POSTs an event; what comes back, empty when the client does not take the certificate it is shown. */
async function post(room: Stage, target: TestCollector, ca: string): Promise<string> {
  const client = connectTls({ socket: await tunnelTo(room, target), servername: "localhost", ca });
  client.on("error", () => undefined);
  const body = '{"name":"seen","iKey":"k","time":"2026-01-01T00:00:00Z"}';
  const head = `POST /OneCollector/1.0/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}`;
  client.once("secureConnect", () => client.write(`${head}\r\n\r\n${body}`));
  const { bytes } = await readAll(client);
  client.destroy();
  return bytes.toString("latin1");
}

async function verdictOf({ session, dir }: Stage) {
  await session.close();
  const { document } = await gradeLogs({ logs: [dir], scenarios: [parseScenario(SCENARIO, "two.yaml")] });
  return { verdict: document.verdict, reason: document.results[0]?.reason, lines: seriesLines(dir) };
}

test("a telemetry host whose clients pin their certificate leaves a gap, so that what is missing is no fail", async (t) => {
  const room = await stage(t);
  assert.match(await post(room, room.open, room.ourCa), /200 OK/);
  const own = readFileSync(room.pinned.caFile, "utf8");
  for (let attempt = 0; attempt < 2; attempt += 1) assert.equal(await post(room, room.pinned, own), "");
  assert.match(await post(room, room.pinned, own), /200 OK/, "the third try is passed on unseen");
  const { verdict, reason, lines } = await verdictOf(room);
  const losses = controlsOf(lines, "loss");
  assert.deepEqual(
    losses.map(({ records, why }) => [records, why]),
    [
      [null, `localhost:${room.pinned.port} went by unread: a client does not take waymark's certificate`],
      [null, `localhost:${room.pinned.port} went by unread: its clients do not let waymark open it`],
    ],
  );
  assert.equal(verdict, "inconclusive", reason);
  assert.equal(room.pinned.received.length, 1, "the app got through");
});

test("the same of a host that nobody named, under --all, is no gap", async (t) => {
  const room = await stage(t, ["*"]);
  assert.match(await post(room, room.open, room.ourCa), /200 OK/);
  const own = readFileSync(room.pinned.caFile, "utf8");
  for (let attempt = 0; attempt < 3; attempt += 1) await post(room, room.pinned, own);
  const { verdict, lines } = await verdictOf(room);
  assert.deepEqual([verdict, controlsOf(lines, "loss").length], ["fail", 0]);
});

for (const [what, bytes] of [
  ["a protocol that is neither TLS nor HTTP", Buffer.from([1, 2, 3, 4])],
  ["a connection that stops being HTTP", Buffer.from("POST /a HTTP/1.1\r\nContent-Length: nonsense\r\n\r\n")],
] as const) {
  test(`${what} leaves a gap at a telemetry host; one that says nothing does not`, async (t) => {
    const room = await stage(t);
    assert.match(await post(room, room.open, room.ourCa), /200 OK/);
    const silent = await tunnelTo(room, room.open);
    silent.end();
    await readAll(silent);
    assert.equal(room.session.counts().intercept.opaque, 1);
    const odd = await tunnelTo(room, room.pinned);
    odd.write(bytes);
    odd.end();
    await readAll(odd);
    const { verdict, lines } = await verdictOf(room);
    assert.deepEqual([verdict, controlsOf(lines, "loss").length], ["inconclusive", 1]);
  });
}

test("marks are folded within a second, for each host and reason, and their memory is bounded", () => {
  const marks: string[] = [];
  let now = 0;
  const tell = createGapMarks({
    isNamed: ({ host }) => host !== "other.test",
    mark: (why) => void marks.push(why),
    now: () => now,
  });
  const host = { host: "a.test", port: 443 };
  tell(host, "x");
  tell(host, "x");
  tell(host, "y");
  tell({ host: "other.test", port: 443 }, "x");
  now = 1000;
  tell(host, "x");
  assert.deepEqual(
    marks,
    ["x", "y", "x"].map((why) => `a.test:443 went by unread: ${why}`),
  );
  for (let port = 1; port <= 5000; port += 1) tell({ host: "b.test", port }, "x");
  assert.ok(marks.length <= 1003, String(marks.length));
});
