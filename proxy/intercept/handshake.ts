import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Engine } from "./engine.ts";
import type { Endpoint } from "./interceptor.ts";
import { clientReason, isRefusal } from "./problem.ts";

/** A client that leaves this soon after its handshake has looked at our certificate; later, it only did not need the connection. */
const LOOK_MS = 1000;

export interface Handshake {
  readonly asked: Endpoint;
  /** The client's side, answered with our certificate. */
  readonly answered: TLSSocket;
  /** The other side, when there is one; what it ends is not the client's doing. */
  readonly upstream?: Socket;
}

/**
 * Counts and tells a client's handshake that fails, or is followed by the client's leaving at once without a byte, which
 * is how programs act that judge the certificate only then (Node's do). Has to be called before the sides are joined.
 */
export function watchHandshake(
  {
    hosts,
    links,
    unopened,
    isOffline,
    recorder,
  }: Pick<Engine, "hosts" | "links" | "unopened" | "isOffline" | "recorder">,
  handshake: Handshake,
): void {
  const { asked, answered, upstream } = handshake;
  let problem: unknown;
  let first: Socket | undefined;
  let securedAt: number | undefined;
  const note = (error: unknown): void => {
    problem ??= error;
  };
  answered.once("_tlsError", note); // before the handshake's end it is not always an `error` as well
  answered.once("error", note);
  answered.once("secure", () => {
    securedAt = performance.now();
  });
  for (const side of [answered, ...(upstream === undefined ? [] : [upstream])]) {
    for (const event of ["end", "error", "close"]) {
      side.once(event, () => {
        first ??= side;
      });
    }
  }
  answered.once("close", () => {
    if (links.isDraining || first !== answered) return;
    const isLate = securedAt !== undefined && performance.now() - securedAt > LOOK_MS;
    // bytesRead counts what came out of the encryption
    if (isLate || answered.bytesRead > 0) return;
    const isSaid = isRefusal(problem);
    const isGivenUp = !isOffline && unopened.refused(asked, isSaid);
    // A single silent leave may be a connection that was not needed after all.
    if (isSaid || isGivenUp) recorder.unread(asked, "a client does not take waymark's certificate");
    hosts.trouble("client", asked, clientReason(problem, isGivenUp));
  });
}
