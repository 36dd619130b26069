import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const LINGER_MS = 2000;

/** Answers a CONNECT or an upgrade that goes nowhere, with a plain text of one line, and ends the connection. */
export function refuse(client: Socket, status: string, text: string): void {
  if (client.destroyed) return;
  const body = `waymark: ${text}\n`;
  client.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  client.resume(); // unread input would turn the close into a reset that eats the answer
  client.setTimeout(LINGER_MS, () => client.destroy());
}

/** Answers a plain request ourselves. */
export function replyText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  const body = `waymark: ${text}\n`;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  });
  response.end(body);
}
