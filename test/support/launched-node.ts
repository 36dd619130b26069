// A Node program that knows nothing of waymark: it sends one event in each of the ways that programs and SDKs use, and says
// which did not arrive. The first argument is the endpoint.
import { execFileSync, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import type http from "node:http";
import https, { request as namedRequest } from "node:https";
import { createRequire } from "node:module";
import tls from "node:tls";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const endpoint = isMainThread ? (process.argv[2] ?? "") : (workerData as string);
const requireHere = createRequire(import.meta.url);

function event(name: string): string {
  return JSON.stringify({ ver: "4.0", name, time: new Date().toISOString(), iKey: "o:launch", data: { via: name } });
}

type Requester = typeof https.request;

function post(name: string, options: https.RequestOptions = {}, requester: Requester = https.request): Promise<void> {
  return new Promise((resolve, reject) => {
    const body = event(name);
    const headers = { "Content-Type": "application/x-json-stream", "Content-Length": Buffer.byteLength(body) };
    const outgoing = requester(endpoint, { method: "POST", headers, ...options }, (response) => {
      response
        .resume()
        .on("end", () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function postByFetch(name: string): Promise<void> {
  const response = await fetch(endpoint, { method: "POST", body: event(name) });
  if (!response.ok) throw new Error(`${response.status}`);
  await response.text();
}

/** As agent-base 6 does it: no `http.Agent`, and a socket of its own making, which would go past the proxy. */
class OldAgent extends EventEmitter {
  addRequest(outgoing: http.ClientRequest, options: { host: string; port: number }): void {
    outgoing.onSocket(tls.connect({ host: options.host, port: options.port || 443, servername: options.host }));
  }
}

class OwnCreateSocket extends https.Agent {
  createSocket(_outgoing: unknown, _options: unknown, done: (error: Error) => void): void {
    done(new Error("it went round Node's agents"));
  }
}

/** As SDKs with a resolver or socket options of their own do it; its connection would go past the proxy. */
class OwnCreateConnection extends https.Agent {
  override createConnection(): never {
    throw new Error("it went round Node's agents");
  }
}

function curl(name: string): string[] {
  return [
    "-sS",
    "--fail",
    "-o",
    process.platform === "win32" ? "NUL" : "/dev/null",
    "--data-binary",
    event(name),
    endpoint,
  ];
}

async function viaWorker(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: endpoint });
  const [code] = (await once(worker, "exit")) as [number];
  if (code !== 0) throw new Error(`the worker ended with ${code}`);
}

async function viaSpawn(program: string, args: readonly string[]): Promise<void> {
  const [code] = (await once(spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] }), "exit")) as [number];
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

const ownConnection = new OwnCreateConnection({ keepAlive: true, maxSockets: 1 });
const keepAlive = new https.Agent({ keepAlive: true, maxSockets: 1 });
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "https.request": () => post("https.request"),
  "required https": () => post("required https", {}, (requireHere("https") as typeof https).request),
  "named import": () => post("named import", {}, namedRequest as Requester),
  "agent: false": () => post("agent: false", { agent: false }),
  "explicit agent": () => post("explicit agent", { agent: keepAlive }),
  "explicit agent again": () => post("explicit agent again", { agent: keepAlive }),
  "own roots": () => post("own roots", { agent: new https.Agent({ ca: tls.rootCertificates.slice(0, 2) }) }),
  "old agent": () => post("old agent", { agent: new OldAgent() as unknown as https.Agent }),
  "own createSocket": () => post("own createSocket", { agent: new OwnCreateSocket() }),
  "own createConnection": () => post("own createConnection", { agent: ownConnection }),
  "own createConnection again": () => post("own createConnection again", { agent: ownConnection }),
  fetch: () => postByFetch("fetch"),
  "fetch again": () => postByFetch("fetch again"),
  worker: viaWorker,
  spawn: () => viaSpawn("curl", curl("spawn")),
  execFileSync: async () => execFileSync("curl", curl("execFileSync")),
  "Node child": () =>
    viaSpawn(process.execPath, [
      "-e",
      `fetch(${JSON.stringify(endpoint)}, { method: "POST", body: ${JSON.stringify(event("Node child"))} })`,
    ]),
  "hidden variables": async () => {
    const seen = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "NO_PROXY"].filter(
      (name) => process.env[name] !== undefined,
    );
    if (seen.length > 0) throw new Error(`${seen} are still there`);
  },
  "roots in place": async () => {
    const file = process.env["NODE_EXTRA_CA_CERTS"] ?? "";
    if (!readFileSync(file, "utf8").includes("BEGIN CERTIFICATE")) throw new Error(`${file} holds no certificate`);
  },
};

if (isMainThread) {
  for (const [name, way] of Object.entries(WAYS)) {
    await way().then(
      () => process.stdout.write(`ok ${name}\n`),
      (cause: unknown) => process.stdout.write(`not ok ${name}: ${String(cause)}\n`),
    );
  }
} else {
  await post("worker");
  await postByFetch("worker fetch");
}
