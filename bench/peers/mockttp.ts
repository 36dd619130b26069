import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// mockttp with request bodies captured to a file, HTTP/2 on.
// node mockttp.js MODULES_FOLDER CA_FOLDER CAPTURE_FILE ORIGIN_CA
const [modules = "", caFolder = "", captureFile = "", originCa = ""] = process.argv.slice(2);
const MAX_BODY_BYTES = 33_554_432;

interface Seen {
  readonly url: string;
  readonly body: { getText(): Promise<string | undefined> };
}

/** As much of the package as is used here; it is installed beside the bench and not known to the compiler. */
interface Mockttp {
  generateCACertificate(): Promise<{ readonly key: string; readonly cert: string }>;
  getLocal(options: object): {
    start(port?: number): Promise<void>;
    readonly port: number;
    on(event: "request", listener: (request: Seen) => void): Promise<void>;
    forAnyRequest(): { thenPassThrough(options: object): Promise<unknown> };
  };
}

const main = pathToFileURL(join(modules, "node_modules", "mockttp", "dist", "main.js")).href;
const { getLocal, generateCACertificate } = (await import(main)) as Mockttp;
const https = await generateCACertificate();
writeFileSync(join(caFolder, "ca.pem"), https.cert);
const server = getLocal({ https, http2: true, recordTraffic: false, maxBodySize: MAX_BODY_BYTES });
const capture = createWriteStream(captureFile);
await server.on("request", (request) => {
  request.body.getText().then(
    (body) => capture.write(`${JSON.stringify({ url: request.url, body })}\n`),
    () => undefined, // a request whose sender is gone
  );
});
await server.start();
await server.forAnyRequest().thenPassThrough({ additionalTrustedCAs: [{ cert: readFileSync(originCa, "utf8") }] });
process.stderr.write(`listening on http://127.0.0.1:${server.port}\n`);
process.once("SIGTERM", () => process.exit(0));
