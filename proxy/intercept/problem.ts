const TRUST = "docs/trust.md says how to trust it, --bypass lets the host through";

const GIVEN_UP = "from now on the host is passed on unseen; docs/trust.md says how to trust it";

/** Why a host is given up whose server speaks first and whose clients say nothing. */
export const GREETED = `its clients leave without a word when the server has greeted them; ${GIVEN_UP}`;

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name could not be looked up",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by the server",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
};

/** Codes of a chain that does not end at a certificate we trust; another root would mend it. */
const UNTRUSTED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
const INVALID = /^(?:CERT_|CRL_|INVALID_(?:CA|PURPOSE)$|ERR_TLS_CERT_ALTNAME)/;
/** TLS alerts about our certificate (RFC 8446 section 6.2), as OpenSSL spells them. */
const REFUSED = /ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_[A-Z]+|UNSUPPORTED_CERTIFICATE)$/;

/** True when a client said that it does not take our certificate. */
export function isRefusal(error: unknown): boolean {
  return REFUSED.test((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}

/** Alerts of a server that breaks the handshake off, which before TLS 1.3 is all that it says when it misses a certificate. */
const BROKEN_OFF = /ALERT_(?:HANDSHAKE_FAILURE|BAD_CERTIFICATE)$/;

/** For a server that asks for a certificate in its handshake. */
export function certificateAsked(): Error {
  return Object.assign(new Error("the server asks for a client certificate"), { code: "CERTIFICATE_ASKED" });
}

/** True when a server said that it wants a certificate of the client's, by asking or by the alert certificate_required (RFC 8446 section 6.2). */
export function wantsCertificate(error: unknown): boolean {
  return /^CERTIFICATE_ASKED$|ALERT_CERTIFICATE_REQUIRED$/.test(
    (error as NodeJS.ErrnoException | undefined)?.code ?? "",
  );
}

/** Why an upstream could not be had or failed, in words; a hint behind it where there is one. */
export function upstreamReason(error: unknown): string {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  if (UNTRUSTED.has(code)) {
    return `the upstream's certificate is not trusted (${message}); --upstream-ca FILE trusts it`;
  }
  if (wantsCertificate(error)) {
    return "the upstream wants a client certificate, which only the app has; from now on the host is passed on unseen";
  }
  if (INVALID.test(code)) return `the upstream's certificate is not valid (${message})`;
  if (BROKEN_OFF.test(code)) return "the upstream refused the TLS handshake; it may want a client certificate";
  const reason = tlsReason(error);
  return reason === undefined
    ? (PROBLEMS[code] ?? plainReason(error as Error))
    : `no TLS with the upstream (${reason})`;
}

/** OpenSSL's own words for what went wrong, without its numbers and places; undefined for other errors. */
function tlsReason(error: unknown): string | undefined {
  const { code = "", reason } = error as NodeJS.ErrnoException & { readonly reason?: string };
  return /^ERR_SSL_/.test(code) ? (reason ?? code.slice(8).toLowerCase().replaceAll("_", " ")) : undefined;
}

/** Errors of several attempts at once come with an empty message. */
function plainReason({ message = "", code = "" }: Partial<NodeJS.ErrnoException>): string {
  return message || code || "unknown error";
}

/** Why a client did not come to an understanding with us; `error` is undefined when it just left. */
export function clientReason(error: unknown, isGivenUp = false): string {
  const hint = isGivenUp ? GIVEN_UP : TRUST;
  const known = (error ?? { code: "ECONNRESET" }) as Partial<NodeJS.ErrnoException>;
  const { code = "" } = known;
  if (REFUSED.test(code)) return `the client refused waymark's certificate; ${hint}`;
  if (code === "ECONNRESET") {
    return `the client left at the TLS handshake, as Node programs do that refuse waymark's certificate; ${hint}`;
  }
  return `no TLS with the client (${tlsReason(known) ?? PROBLEMS[code] ?? plainReason(known)})`;
}

/** Why a request to a host that is not opened goes nowhere under a sink. */
export function keptInReason(endpoint: string): string {
  return `"${endpoint}" is not opened, and with --sink nothing leaves this machine; --host lets waymark answer for it`;
}
