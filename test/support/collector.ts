import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { loopbackCertificate } from "./certificate.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  readonly sha256: string;
}

export interface TestCollector {
  readonly port: number;
  /** PEM file to trust, for `--upstream-ca`. */
  readonly caFile: string;
  readonly received: ReceivedRequest[];
  /** How many have been received, kept or not. */
  requests(): number;
  /** The next POST that arrives. */
  nextPost(): Promise<ReceivedRequest>;
}

/** A real HTTPS collector on loopback for the names given; answers as OneCollector does, CORS included. */
export async function startTestCollector(
  t: Pick<TestContext, "after">,
  folder: string,
  names: readonly string[],
  { isKept = true, listen = "127.0.0.1" }: { readonly isKept?: boolean; readonly listen?: string } = {},
): Promise<TestCollector> {
  const { key, cert } = await loopbackCertificate(names);
  const caFile = join(folder, "collector-ca.pem");
  writeFileSync(caFile, cert);
  const received: ReceivedRequest[] = [];
  let requests = 0;
  const waiting: ((request: ReceivedRequest) => void)[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const seen = {
        method: request.method ?? "",
        url: request.url ?? "",
        body,
        sha256: createHash("sha256").update(body).digest("hex"),
      };
      requests += 1;
      if (isKept) received.push(seen);
      if (seen.method === "POST") waiting.shift()?.(seen);
      response.setHeader("Access-Control-Allow-Origin", request.headers.origin ?? "*");
      response.setHeader("Access-Control-Allow-Credentials", "true");
      response.setHeader("Access-Control-Allow-Headers", request.headers["access-control-request-headers"] ?? "*");
      response.setHeader("Access-Control-Allow-Methods", "POST, OPTIONS");
      if (seen.method === "OPTIONS") response.writeHead(204).end();
      else response.writeHead(200, { "Content-Type": "application/json" }).end('{"acc":1}');
    });
  });
  server.listen(0, listen);
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    port: (server.address() as AddressInfo).port,
    caFile,
    received,
    requests: () => requests,
    nextPost: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
