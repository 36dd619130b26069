import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { ENDPOINT, oneEvent } from "./launched-client.ts";

/** A page on loopback, in clear, that sends one event to the telemetry host. */
export async function pageThatSends(t: TestContext, name: string): Promise<string> {
  const page = `<!doctype html><title>sending</title><script>
    fetch(${JSON.stringify(ENDPOINT)}, { method: "POST", body: ${JSON.stringify(oneEvent(name))} })
      .then((answer) => { document.title = answer.ok ? "sent" : "refused"; });
  </script>`;
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html").end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
