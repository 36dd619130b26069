import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { listening, readHead } from "./room.ts";

export interface ForwardProxy {
  readonly port: number;
  /** First lines of what it was asked since it was last looked at. */
  taken(): string[];
}

/**
 * Another proxy, which leads every name to loopback and passes bytes on as they are. It wants to know who asks when
 * there are `credentials` (`user:password`), and takes nobody with credentials when there are none.
 */
export async function forwardProxy(t: TestContext, credentials?: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const proof = credentials && `Proxy-Authorization: Basic ${Buffer.from(credentials).toString("base64")}`;
  const serve = async (client: Socket): Promise<void> => {
    const head = await readHead(client);
    const lines = head.split("\r\n");
    const [line = ""] = lines;
    asked.push(line);
    if (lines.find((one) => /^proxy-authorization:/i.test(one)) !== proof) {
      return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    }
    const [, method, port, path = "/"] = /^(\S+) (?:http:\/\/)?[^:/]+:([0-9]+)(\/\S*)? /.exec(line) ?? [];
    const upstream = connect({ port: Number(port), host: "127.0.0.1" });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
    if (method === "CONNECT") client.write("HTTP/1.1 200 OK\r\nX-Odd: 1\r\n\r\n");
    else {
      const kept = lines.slice(1).filter((one) => one !== proof);
      upstream.write(`${method} ${path} HTTP/1.1\r\n${kept.join("\r\n")}`, "latin1");
    }
    client.pipe(upstream).pipe(client);
  };
  const server = createServer((client) => void serve(client).catch(() => client.destroy()));
  return { port: await listening(t, server), taken: () => asked.splice(0) };
}
