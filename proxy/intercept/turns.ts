import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Pipelined requests of one client connection, one after the other as a server would take them: the next one's turn comes
 * when the answer before it is through, and its response then has the connection. What still waits when the connection
 * takes no answer any more never gets a turn: its client is gone, or was told that there will be none and asks again.
 */
export class Turns {
  /** By connection, the end of the last turn that was asked for. */
  readonly #last = new WeakMap<Socket, Promise<void>>();

  /** Calls `serve` when the request's turn comes, and at once when nothing is before it. Rejects when `serve` does. */
  take({ socket }: IncomingMessage, response: ServerResponse, serve: () => Promise<void>): Promise<void> {
    const before = this.#last.get(socket);
    const isClosed = new Promise<void>((resolve) => {
      response.once("close", () => resolve());
    });
    const served = before === undefined ? serve() : before.then(() => (socket.writable ? serve() : undefined));
    const isOver = served.catch(() => undefined).then(() => (socket.writable ? isClosed : undefined));
    this.#last.set(socket, isOver);
    return served;
  }
}
