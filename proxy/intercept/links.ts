import type { Socket } from "node:net";

/** An open connection through the proxy, as the drain sees it. */
export interface Link {
  /** False between exchanges: cutting it now loses nothing. */
  readonly isBusy: () => boolean;
  readonly cut: () => void;
}

/** The open connections, so that closing can let exchanges end and then cut the rest. */
export class Links {
  readonly #open = new Set<Link>();
  readonly #sockets = new Set<Socket>();
  /** Set while draining: told when an answer to a plain request is through. */
  onFinished: (() => void) | undefined;
  #isDraining = false;
  #isOver = false;
  #whenEmpty: (() => void) | undefined;

  /** Closing: connections are ended by us. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  add(link: Link): void {
    this.#open.add(link);
    if (this.#isDraining) this.idle(link);
  }

  delete(link: Link): void {
    this.#open.delete(link);
    if (this.#open.size === 0) this.#whenEmpty?.();
  }

  /** Remembers a socket until it closes, whatever becomes of its link; one that comes after the end is ended at once. */
  track(socket: Socket): void {
    if (this.#isOver) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Ends every socket that still stands. */
  destroyAll(): void {
    this.#isOver = true;
    for (const socket of [...this.#sockets]) socket.destroy();
  }

  finished(): void {
    this.onFinished?.();
  }

  /** Nothing is under way on this link any more. */
  idle(link: Link): void {
    if (this.#isDraining && !link.isBusy()) link.cut();
  }

  /** Cuts idle links now, busy ones as soon as they are idle, all that are left after `drainMs`. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true;
    for (const link of [...this.#open]) this.idle(link);
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, drainMs);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    for (const link of [...this.#open]) link.cut();
  }
}
