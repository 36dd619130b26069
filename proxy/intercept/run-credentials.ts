import type { Exchange } from "../record/exchange.ts";
import type { InterceptorOptions } from "./interceptor.ts";

/** The run a client is of, to be spread into what is known of its exchanges; empty when it names none. */
export type OfRun = Pick<Exchange, "run">;

const NO_RUN: OfRun = {};
/** Names that are told, and names that are remembered as runs'. */
const MAX_TOLD = 10;
const MAX_KEPT = 1000;
const SHOWN_LENGTH = 60;

/**
 * Tells runs apart by the user name of the credentials a client shows the proxy (RFC 7617, RFC 1929); the password counts
 * for nothing, since nobody is let in by it. Names of no run are told, each once, and refused nothing.
 */
export class RunCredentials {
  /** False when nobody asks for runs: credentials then count for nothing. */
  readonly isAsked: boolean;
  readonly #runOf: (user: string) => string | undefined;
  readonly #tell: (text: string) => void;
  readonly #known = new Map<string, OfRun>();
  readonly #told = new Set<string>();

  /** Neither function may throw. */
  constructor(runOf: InterceptorOptions["runOf"], tell: (text: string) => void) {
    this.isAsked = runOf !== undefined;
    this.#runOf = runOf ?? (() => undefined);
    this.#tell = tell;
  }

  /** By the value of `Proxy-Authorization`. */
  ofHeader(value: string | undefined): OfRun {
    if (value === undefined || !this.isAsked) return NO_RUN;
    const credentials = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(value)?.[1];
    if (credentials === undefined) return this.#unknown(value.split(" ", 1)[0] ?? "");
    return this.ofUser(Buffer.from(credentials, "base64").toString().split(":", 1)[0]);
  }

  /** By a user name; without one there is no run. */
  ofUser(user: string | undefined): OfRun {
    if (user === undefined || !this.isAsked) return NO_RUN;
    const known = this.#known.get(user);
    if (known !== undefined) return known;
    const run = this.#runOf(user);
    if (run === undefined) return this.#unknown(user);
    if (this.#known.size >= MAX_KEPT) this.#known.clear();
    this.#known.set(user, { run });
    return { run };
  }

  #unknown(name: string): OfRun {
    if (!this.#told.has(name) && this.#told.size < MAX_TOLD) {
      this.#told.add(name);
      const shown = JSON.stringify(name.slice(0, SHOWN_LENGTH));
      this.#tell(`the proxy credentials ${shown} name no run; what comes with them is recorded without one`);
    }
    return NO_RUN;
  }
}
