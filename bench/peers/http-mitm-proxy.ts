import { createWriteStream } from "node:fs";
import { Agent } from "node:https";
import { type IContext, Proxy as MitmProxy } from "http-mitm-proxy";

// http-mitm-proxy at its best: keep-alive on both sides, request bodies captured to a file.
// node http-mitm-proxy.js CA_FOLDER CAPTURE_FILE    trusts what NODE_EXTRA_CA_CERTS names
const [sslCaDir = "", captureFile = ""] = process.argv.slice(2);
const capture = createWriteStream(captureFile);
const bodies = new WeakMap<IContext, Buffer[]>();
const proxy = new MitmProxy();
for (const method of ["log", "debug", "info", "error"] as const) console[method] = () => undefined;

proxy.onError(() => undefined);
/** As much of a body as waymark keeps; the rest flows on. */
const MAX_BODY_BYTES = 33_554_432;
const kept = new WeakMap<IContext, number>();

proxy.onRequest((context, next) => {
  bodies.set(context, []);
  next();
});
proxy.onRequestData((context, chunk, next) => {
  const bytes = (kept.get(context) ?? 0) + chunk.length;
  kept.set(context, bytes);
  if (bytes <= MAX_BODY_BYTES) bodies.get(context)?.push(chunk);
  next(null, chunk);
});
proxy.onRequestEnd((context, next) => {
  const body = Buffer.concat(bodies.get(context) ?? []).toString("utf8");
  capture.write(`${JSON.stringify({ url: context.clientToProxyRequest.url, body })}\n`);
  next();
});
proxy.listen(
  { port: 0, host: "127.0.0.1", sslCaDir, keepAlive: true, httpsAgent: new Agent({ keepAlive: true }) },
  () => {
    process.stderr.write(`listening on http://127.0.0.1:${proxy.httpPort}\n`);
  },
);
process.once("SIGTERM", () => process.exit(0));
