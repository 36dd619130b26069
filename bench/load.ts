/** What the client is asked to do, as JSON in its first argument. */
export interface LoadOrder {
  readonly originPort: number;
  /** Port of a proxy on 127.0.0.1 to go through by CONNECT; absent, straight to the origin. */
  readonly proxyPort?: number;
  /** PEM file of the certificate to trust. */
  readonly caFile: string;
  readonly connections: number;
  readonly seconds: number;
  readonly bodyBytes: number;
  /** Requests per second, sent on time whether or not earlier ones are answered; absent, as many as get answered. */
  readonly rate?: number;
}

/** What it prints, as one JSON line. */
export interface LoadReport {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Events in each request's body. */
export const EVENTS_PER_REQUEST = 2;
