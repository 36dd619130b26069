import type { Variables } from "../../../certs/trust.ts";

export interface RuntimeContext {
  /** Address of the proxy as a URL, such as `http://127.0.0.1:8899`. */
  readonly proxyUrl: string;
  /** The authority's certificate alone, for variables that add to a program's roots. */
  readonly certFile: string;
  /** Roots and authority merged, for variables that replace a program's roots. */
  readonly bundleFile: string;
  /** The same roots as a Java key store; absent when it could not be made. */
  readonly javaTrustStore?: string | undefined;
  /** The script that sends a Node program's requests through the proxy. */
  readonly preloadFile: string;
  /** The environment so far: some variables are added to, not replaced. */
  readonly base: Readonly<Record<string, string | undefined>>;
}

/** What one runtime, or one family of programs, needs in its environment to use the proxy and trust its authority. */
export interface Runtime {
  readonly name: string;
  variables(context: RuntimeContext): Variables;
}
