/** What the proxy needs to know of a TLS ClientHello. */
export interface ClientHello {
  /** Server name indication, lower case; undefined when the client sent none. */
  readonly serverName: string | undefined;
  /** Application protocols offered, in the client's order. */
  readonly protocols: readonly string[];
}

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ALPN = 16;
const MAX_HELLO_BYTES = 65_536;

/**
 * Reads the ClientHello (RFC 8446 section 4.1.2; the same shape since TLS 1.0) at the start of a connection, also
 * when it is cut into several records. "more" while it is not all there, "other" when it is no ClientHello.
 */
export function readClientHello(bytes: Buffer): ClientHello | "more" | "other" {
  const message = handshakeMessage(bytes);
  if (typeof message === "string") return message;
  try {
    return readExtensions(message);
  } catch (error) {
    if (error instanceof RangeError) return "other"; // a length that points outside of the message
    throw error;
  }
}

/** The first handshake message without its 4-byte header, joined over records. */
function handshakeMessage(bytes: Buffer): Buffer | "more" | "other" {
  let joined: Buffer = Buffer.alloc(0);
  for (let at = 0; at < bytes.length; ) {
    if (!isRecordStart(bytes, at)) return "other";
    if (bytes.length < at + 5) return "more";
    const end = at + 5 + bytes.readUInt16BE(at + 3);
    joined = Buffer.concat([joined, bytes.subarray(at + 5, end)]);
    const message = wholeHello(joined);
    if (message !== "more") return message;
    at = end;
  }
  return "more";
}

/** A handshake record of TLS 1.x; its version field is 3.x in all of them. */
function isRecordStart(bytes: Buffer, at: number): boolean {
  return bytes[at] === HANDSHAKE && (bytes.length === at + 1 || bytes[at + 1] === 3);
}

function wholeHello(joined: Buffer): Buffer | "more" | "other" {
  if (joined.length < 4) return "more";
  const length = joined.readUIntBE(1, 3);
  if (joined[0] !== CLIENT_HELLO || length > MAX_HELLO_BYTES) return "other";
  return joined.length < 4 + length ? "more" : joined.subarray(4, 4 + length);
}

function readExtensions(hello: Buffer): ClientHello {
  let at = 2 + 32; // version, random
  at += 1 + hello.readUInt8(at); // session id
  at += 2 + hello.readUInt16BE(at); // cipher suites
  at += 1 + hello.readUInt8(at); // compression methods
  let serverName: string | undefined;
  let protocols: readonly string[] = [];
  if (at === hello.length) return { serverName, protocols }; // no extensions
  const end = at + 2 + hello.readUInt16BE(at);
  for (at += 2; at + 4 <= end; ) {
    const type = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    const content = hello.subarray(at + 4, at + 4 + length);
    if (type === SERVER_NAME) serverName = readServerName(content);
    else if (type === ALPN) protocols = readProtocols(content);
    at += 4 + length;
  }
  return { serverName, protocols };
}

/** RFC 6066 section 3: a list with one entry of type host_name. */
function readServerName(content: Buffer): string | undefined {
  if (content.length < 5 || content[2] !== 0) return undefined;
  return content.toString("latin1", 5, 5 + content.readUInt16BE(3)).toLowerCase();
}

/** RFC 7301 section 3.1. */
function readProtocols(content: Buffer): string[] {
  const protocols: string[] = [];
  for (let at = 2; at < content.length; ) {
    const end = at + 1 + content.readUInt8(at);
    protocols.push(content.toString("latin1", at + 1, end));
    at = end;
  }
  return protocols;
}
