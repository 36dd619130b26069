import type { Socket } from "node:net";
import { refuse } from "./reply.ts";

/** Why a tunnel is not opened. */
export type Refusal = "malformed" | "forbidden" | "unreachable";

/** How a client that asked for a tunnel is answered, in the protocol in which it asked. */
export interface TunnelReply {
  accept(client: Socket): void;
  /** Says no, with a line for a person where the protocol has room for it, and ends the connection. */
  refuse(client: Socket, why: Refusal, text: string): void;
}

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";
const STATUS = { malformed: "400 Bad Request", forbidden: "403 Forbidden", unreachable: "502 Bad Gateway" } as const;

/** Answers to a CONNECT (RFC 9110 section 9.3.6). */
export const CONNECT_REPLY: TunnelReply = {
  accept: (client) => void client.write(ESTABLISHED),
  refuse: (client, why, text) => refuse(client, STATUS[why], text),
};
