import { formatEndpoint } from "./authority.ts";
import type { Endpoint } from "./interceptor.ts";

const MAX_HOSTS = 10_000;
/** A client that leaves without a word may have had other reasons; one that does it again has not. */
const SILENT_LEAVES = 2;

/**
 * Hosts that are passed on unseen from now on although they are to be opened, because opening them breaks the app: its
 * certificate is pinned, or the server wants one of the client. A host that any client has spoken to through us stays
 * open: a client that refuses us there only lacks our authority, and must not hide what the others send.
 */
export class Unopened {
  readonly #unopened = new Set<string>();
  readonly #trusted = new Set<string>();
  readonly #leaves = new Map<string, number>();

  has(host: Endpoint): boolean {
    return this.#unopened.size > 0 && this.#unopened.has(formatEndpoint(host));
  }

  /** A client has sent something under our certificate. */
  trusted(host: Endpoint): void {
    if (this.#trusted.size < MAX_HOSTS) this.#trusted.add(formatEndpoint(host));
  }

  /** A client said that it does not take our certificate, or left without saying so. True when the host is given up by that. */
  refused(host: Endpoint, isSaid: boolean): boolean {
    const key = formatEndpoint(host);
    if (this.#trusted.has(key)) return false;
    const leaves = (this.#leaves.get(key) ?? 0) + 1;
    if (this.#leaves.size < MAX_HOSTS) this.#leaves.set(key, leaves);
    return (isSaid || leaves >= SILENT_LEAVES) && this.#giveUp(key);
  }

  /** The server wants a certificate that only the client has. */
  wantsClientCertificate(host: Endpoint): void {
    this.#giveUp(formatEndpoint(host));
  }

  #giveUp(key: string): boolean {
    if (this.#unopened.size >= MAX_HOSTS) return false;
    this.#unopened.add(key);
    this.#leaves.delete(key);
    return true;
  }
}
