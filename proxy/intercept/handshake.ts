import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Engine } from "./engine.ts";
import type { Endpoint } from "./interceptor.ts";
import { clientReason, GREETED, isRefusal } from "./problem.ts";

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
  let isJudged = false;
  const judge = (): void => {
    if (isJudged || links.isDraining || first !== answered) return;
    isJudged = true;
    const isLate = securedAt !== undefined && performance.now() - securedAt > LOOK_MS;
    // bytesRead counts what came out of the encryption, bytesWritten what went into it
    if (isLate || answered.bytesRead > 0) return;
    const isSaid = isRefusal(problem);
    // In HTTP/2 every server speaks at once, also to those that are about to leave.
    const isGreeted = !isSaid && securedAt !== undefined && answered.bytesWritten > 0 && answered.alpnProtocol !== "h2";
    const isGivenUp = !isOffline && unopened.refused(asked, isSaid);
    // The greeting may be all that the client wanted; when nobody ever says more, passing the host on hides nothing.
    if (isGreeted && !isGivenUp) return;
    // A single silent leave may be a connection that was not needed after all.
    if (isSaid || isGivenUp) recorder.unread(asked, "a client does not take waymark's certificate");
    hosts.trouble("client", asked, isGreeted ? GREETED : clientReason(problem, isGivenUp));
  };
  // What a server says at once can be sent no more to a client that has left, and keeps its side from closing for long.
  answered.once("end", () => void setImmediate(judge)); // an alert's error comes right behind the end it makes
  answered.once("close", judge);
}
