import type { Authority, OpenedAuthority } from "../certs/authority.ts";
import type { Terminal } from "./terminal.ts";

/** Says on stderr that the certificate authority is new, because what trusted the old one no longer does. */
export function announceAuthority(authority: Authority, event: OpenedAuthority["event"], terminal: Terminal): void {
  if (event === "loaded") return;
  const until = authority.notAfter.toISOString().slice(0, 10);
  const news =
    event === "created" ? "made a certificate authority" : "renewed the certificate authority, which had expired";
  terminal.err(`waymark ${news}: ${authority.certFile} (valid until ${until}); docs/trust.md says how to trust it\n`);
}
