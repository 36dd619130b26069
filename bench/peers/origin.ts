import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createSecureContext, type SecureContext } from "node:tls";
import { openAuthority } from "../../certs/authority.ts";
import { createCertificateFor } from "../../certs/leaf.ts";
import { hostAt } from "../load.ts";
import { pieces } from "./loads/transfer.ts";
import { drink } from "./throttle.ts";

// The server at the far end of the proxy bench: reads the body, answers as a telemetry collector does; sends and takes
// large bodies under /download and /upload.
// node origin.js CA_FOLDER http1|http2 HOSTS     listens on localhost, and on so many other addresses of loopback
const [caFolder = "", protocol = "http1", hosts = "0"] = process.argv.slice(2);
const answer = '{"acc":2}';
const headers = { "content-type": "application/json", "content-length": answer.length };

const serve: RequestListener = (request, response) => {
  const url = new URL(request.url ?? "/", "https://localhost");
  const slow = Number(url.searchParams.get("slow") ?? 0);
  if (url.pathname === "/download") send(response, Number(url.searchParams.get("bytes")));
  else void take(request, response, slow > 0 ? slow : undefined);
};

function send(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes });
  Readable.from(pieces(bytes)).pipe(response);
}

async function take(request: IncomingMessage, response: ServerResponse, slow: number | undefined): Promise<void> {
  try {
    await drink(request, slow);
    response.writeHead(200, headers).end(answer);
  } catch {
    response.destroy(); // the client is gone
  }
}

function contextFor(name: string, done: (error: Error | null, context?: SecureContext) => void): void {
  certificateFor(name).then(
    (made) => done(null, createSecureContext(made)),
    (error: Error) => done(error),
  );
}

const { authority } = await openAuthority(caFolder);
const certificateFor = createCertificateFor(authority);
const pair = await certificateFor("localhost");
const server =
  protocol === "http2"
    ? createSecureServer(pair).on("stream", (stream) => {
        stream.on("error", () => undefined).resume();
        stream.once("end", () => {
          stream.respond({ ":status": 200, ...headers });
          stream.end(answer);
        });
      })
    : createServer({ ...pair, keepAliveTimeout: 120_000, requestTimeout: 0 }, serve);
server.listen(0, "localhost");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
for (let number = 0; number < Number(hosts); number += 1) {
  const { address } = hostAt(number);
  const options = { ...(await certificateFor(address)), SNICallback: contextFor, keepAliveTimeout: 120_000 };
  const other = createServer(options, serve);
  other.listen(port, address);
  await once(other, "listening");
}
process.stderr.write(`listening on https://localhost:${port}\n`);
process.once("SIGTERM", () => process.exit(0));
