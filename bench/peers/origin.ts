import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

// The server at the far end of the proxy bench: reads the body, answers as a telemetry collector does.
// node origin.js KEY CERT
const [key = "", cert = ""] = process.argv.slice(2);
const answer = '{"acc":2}';
const headers = { "content-type": "application/json", "content-length": answer.length };
const server = createServer(
  { key: readFileSync(key), cert: readFileSync(cert), keepAliveTimeout: 120_000, requestTimeout: 0 },
  (request, response) => {
    request.resume().on("end", () => response.writeHead(200, headers).end(answer));
  },
);
server.listen(0, "localhost", () => {
  process.stderr.write(`listening on https://localhost:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => process.exit(0));
