import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import http2 from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { loopbackCertificate } from "./certificate.ts";

/** A request as it arrived at the service that an SDK believes to talk to. */
export interface ServiceRequest {
  readonly method: string;
  readonly host: string;
  readonly url: string;
  readonly body: Buffer;
}

export interface TelemetryService {
  readonly tlsPort: number;
  /** HTTP in clear. */
  readonly clearPort: number;
  /** gRPC in clear. */
  readonly grpcPort: number;
  /** For `--upstream-ca`. */
  readonly caFile: string;
  readonly keyFile: string;
  readonly received: readonly ServiceRequest[];
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  /** Leaves the answer open, as an event stream. */
  readonly stays?: true;
}

const json = (value: unknown, status = 200): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});
const text = (body: string, status = 200): Answer => ({ status, type: "text/plain", body });

/** What each service answers, by host and path, as its documentation has it; the first that fits counts. */
const ANSWERS: readonly (readonly [host: RegExp, path: RegExp, answer: (request: ServiceRequest) => Answer])[] = [
  [/\.events\.data\.microsoft\.com$/, /NoResponseBody=true/, () => ({ status: 204 })],
  [/\.events\.data\.microsoft\.com$/, /./, (request) => json({ acc: linesIn(request) })],
  [/visualstudio\.com$|applicationinsights\.azure\.com$/, /./, breeze],
  [/monitor\.azure\.com$/, /./, () => json({})],
  [/^localhost/, /^\/v1\/\w+$/, otlp],
  [/\.sentry\.io$/, /./, () => json({ id: "0123456789abcdef0123456789abcdef" })],
  [/posthog\.com$/, /config\.js|static/, () => ({ status: 200, type: "text/javascript", body: "" })],
  [/posthog\.com$/, /config$/, () => json({ hasFeatureFlags: false })],
  [/posthog\.com$/, /flags|decide/, () => json({ featureFlags: {}, flags: {}, sessionRecording: false })],
  [/posthog\.com$/, /./, () => json({ status: 1 })],
  [/cdn\.segment\.com$/, /settings$/, () => json({ integrations: { "Segment.io": { apiKey: "0123456789abcdef" } } })],
  [/segment\.io$/, /./, () => json({ success: true })],
  [/rudderstack\.com$|rudderlabs\.com$/, /sourceConfig/i, () => json(RUDDER_SOURCE)],
  [/rudderstack\.com$/, /./, () => text("OK")],
  [/amplitude\.com$/, /./, amplitude],
  [/mixpanel\.com$/, /[?&]verbose=1/, () => json({ status: 1, error: null })],
  [/mixpanel\.com$/, /./, ({ body }) => (body.includes("verbose=1") ? json({ status: 1, error: null }) : text("1"))],
  [/^sp\./, /./, () => text("ok")],
  [/datadoghq\.com$/, /./, () => json({ request_id: "01234567-89ab-cdef-0123-456789abcdef" }, 202)],
  [/google-analytics\.com$|analytics\.google\.com$/, /./, () => ({ status: 204 })],
  [
    /matomo\.cloud$/,
    /./,
    ({ body }) => json({ status: "success", tracked: JSON.parse(String(body)).requests.length, invalid: 0 }),
  ],
  [/plausible\.io$/, /./, () => text("ok", 202)],
  [/umami/, /./, () => json({ cache: "c", sessionId: "s", visitId: "v" })],
  [/statsig|prodregistryv2/, /rgstr|log_event/, () => json({ success: true }, 202)],
  [/statsig|prodregistryv2|featureassets/, /get_id_lists/, () => json({})],
  [/statsig|prodregistryv2|featureassets/, /./, () => json(STATSIG_CONFIG)],
  [
    /^(?:client)?stream\.launchdarkly\.com$/,
    /./,
    () => ({ status: 200, type: "text/event-stream", body: LAUNCHDARKLY_FLAGS, stays: true }),
  ],
  [/^events\.launchdarkly\.com$/, /./, () => ({ status: 202 })],
  [/launchdarkly\.com$/, /./, () => json({})],
  [/bugsnag|smartbear/, /./, () => text("OK", 202)],
  [/rollbar\.com$/, /./, () => json({ err: 0, result: { id: null, uuid: "0123456789abcdef0123456789abcdef" } })],
];

const RUDDER_SOURCE = {
  source: {
    id: "s",
    name: "chat",
    writeKey: "0123456789abcdef",
    enabled: true,
    workspaceId: "w",
    config: {},
    connections: [],
    destinations: [],
  },
  updatedAt: "2026-01-31T12:00:00.000Z",
};
const STATSIG_CONFIG = {
  has_updates: true,
  feature_gates: [],
  dynamic_configs: [],
  layer_configs: [],
  time: 1_700_000_000_000,
};
const LAUNCHDARKLY_FLAGS = 'event: put\ndata: {"path":"/","data":{"flags":{},"segments":{}}}\n\n';

/**
 * The telemetry services that real SDKs talk to, on loopback: HTTPS for all `hosts` (a `*` stands for any text), HTTP and
 * gRPC in clear. Each is answered as the service of that host does; a host and path that nothing is known of gets a 404.
 */
export async function startTelemetryService(
  t: Pick<TestContext, "after">,
  folder: string,
  hosts: readonly string[],
): Promise<TelemetryService> {
  const { key, cert } = await loopbackCertificate(hosts);
  const [caFile, keyFile] = [join(folder, "service-ca.pem"), join(folder, "service-key.pem")];
  writeFileSync(caFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const received: ServiceRequest[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    void readRequest(request).then((seen) => {
      received.push(seen);
      reply(request, response, seen);
    });
  };
  const tls = createTlsServer({ key, cert }, serve);
  const clear = createServer(serve);
  const grpc = grpcServer(received);
  const listen = async (server: Server): Promise<number> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  t.after(() => {
    for (const server of [tls, clear]) {
      server.close();
      server.closeAllConnections();
    }
    grpc.close();
  });
  const [tlsPort, clearPort, grpcPort] = [await listen(tls), await listen(clear), await listen(grpc)];
  return { tlsPort, clearPort, grpcPort, caFile, keyFile, received };
}

async function readRequest(request: IncomingMessage): Promise<ServiceRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const host = (request.headers.host ?? "").replace(/:[0-9]+$/, "");
  return { method: request.method ?? "", host, url: request.url ?? "", body: Buffer.concat(chunks) };
}

function reply({ headers }: IncomingMessage, response: ServerResponse, seen: ServiceRequest): void {
  response.setHeader("Access-Control-Allow-Origin", headers.origin ?? "*");
  response.setHeader("Access-Control-Allow-Credentials", "true");
  response.setHeader("Access-Control-Allow-Headers", headers["access-control-request-headers"] ?? "*");
  response.setHeader("Access-Control-Allow-Methods", "GET, POST, REPORT, OPTIONS");
  const found = ANSWERS.find(([host, path]) => host.test(seen.host) && path.test(seen.url));
  const answer = seen.method === "OPTIONS" ? { status: 204 } : answerOf(found?.[2], seen);
  const { status, type, body, stays } = answer as Answer;
  response.writeHead(status, type === undefined ? {} : { "Content-Type": type });
  if (stays === true) response.write(body ?? "");
  else response.end(body);
}

/** A body that cannot be read is the sender's mistake, told as a service would. */
function answerOf(answer: ((request: ServiceRequest) => Answer) | undefined, seen: ServiceRequest): Answer {
  try {
    return answer?.(seen) ?? text("not known here", 404);
  } catch (cause) {
    return text(String(cause), 400);
  }
}

function plain({ body }: ServiceRequest): string {
  return (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body).toString("utf8");
}

function linesIn(request: ServiceRequest): number {
  return plain(request).split("\n").filter(Boolean).length;
}

function breeze(request: ServiceRequest): Answer {
  const body = plain(request);
  const count = body.startsWith("[") ? (JSON.parse(body) as unknown[]).length : linesIn(request);
  return json({ itemsReceived: count, itemsAccepted: count, errors: [] });
}

function amplitude(request: ServiceRequest): Answer {
  const { body } = request;
  const { events = [] } = (body.length === 0 ? {} : JSON.parse(plain(request))) as { events?: unknown[] };
  return json({
    code: 200,
    events_ingested: events.length,
    payload_size_bytes: body.length,
    server_upload_time: 1_700_000_000_000,
  });
}

function otlp({ body }: ServiceRequest): Answer {
  const isJson = body[0] === 0x7b;
  return isJson ? json({ partialSuccess: {} }) : { status: 200, type: "application/x-protobuf" };
}

/** Answers each call with an empty message and status 0. */
function grpcServer(received: ServiceRequest[]): http2.Http2Server {
  const server = http2.createServer();
  server.on("stream", (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", () => undefined);
    stream.on("end", () => {
      const [host, url] = [headers[":authority"] ?? "", headers[":path"] ?? ""];
      received.push({ method: "POST", host, url, body: Buffer.concat(chunks) });
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.alloc(5));
    });
  });
  return server;
}
