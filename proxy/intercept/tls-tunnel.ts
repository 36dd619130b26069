import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Engine } from "./engine.ts";
import { watchHandshake } from "./handshake.ts";
import type { ClientHello } from "./hello.ts";
import type { Endpoint } from "./interceptor.ts";
import { certificateAsked, upstreamReason, wantsCertificate } from "./problem.ts";
import type { Asked, Origin } from "./recorder.ts";
import type { Side } from "./tee.ts";
import { answerClient, asksForCertificate, upstreamHandshake } from "./tls.ts";

export interface TlsTunnel {
  readonly asked: Asked;
  readonly client: Socket;
  readonly upstream: Socket;
  /** The client's, which is still unanswered in its socket. */
  readonly hello: ClientHello;
}

/** A tunnel whose two sides speak TLS with us. */
export interface Secured {
  readonly client: Side;
  readonly upstream: Side;
  /** The application protocol that the upstream chose. */
  readonly protocol: string | undefined;
  readonly origin: Origin;
}

/**
 * The upstream's handshake comes first, with the client's own server name and its own list of protocols; the upstream's
 * choice of them is what the client gets. Undefined, and told, when the upstream does not come to an understanding with
 * us, or asks for a certificate that only the client can show; the client has then not been answered.
 */
export async function secure(engine: Engine, tunnel: TlsTunnel): Promise<Secured | undefined> {
  const { asked, client, upstream, hello } = tunnel;
  const { serverName, protocols } = hello;
  const name = serverName ?? asked.host;
  let stream: Socket = upstream;
  const giveUp = (): void => void stream.destroy();
  let problem: unknown;
  const onStream = (made: Socket): void => {
    stream = made;
    made.once("error", (error) => {
      problem = error;
      learn(engine, asked, error);
    });
    engine.links.track(made);
  };
  const orAsked = (secured: TLSSocket): TLSSocket => {
    if (problem !== undefined) throw problem;
    if (!asksForCertificate(secured)) return secured;
    giveUp(); // before it says as well that it got none
    const asking = certificateAsked();
    learn(engine, asked, asking);
    throw asking;
  };
  client.once("close", giveUp);
  try {
    const options = { engine, name, port: asked.port, serverName, protocols, onStream };
    const handshake = upstreamHandshake(upstream, options).then(orAsked);
    const [secured, context] = await Promise.all([handshake, engine.contextFor(name)]);
    // An alert right behind the handshake ends the stream without destroying it.
    if (problem !== undefined) throw problem;
    client.off("close", giveUp);
    const protocol = typeof secured.alpnProtocol === "string" ? secured.alpnProtocol : undefined;
    const answered = answerClient(client, context, protocol);
    watchHandshake(engine, { asked, answered, upstream: secured });
    return {
      client: { stream: answered, raw: client },
      upstream: { stream: secured, raw: upstream },
      protocol,
      origin: { ...asked, scheme: "https", host: name },
    };
  } catch (error) {
    client.off("close", giveUp);
    if (!client.destroyed && !wantsCertificate(error)) engine.hosts.trouble("upstream", asked, upstreamReason(error));
    giveUp();
    upstream.destroy();
    return undefined;
  }
}

/** The server's wish is seen in its handshake; an alert that says so comes, in TLS 1.3, only when that is over for us. */
function learn({ hosts, unopened }: Engine, asked: Endpoint, error: unknown): void {
  if (!wantsCertificate(error)) return;
  unopened.wantsClientCertificate(asked);
  hosts.trouble("upstream", asked, upstreamReason(error));
}
