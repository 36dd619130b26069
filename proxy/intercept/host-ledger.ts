import { formatEndpoint } from "./authority.ts";
import type { Endpoint, HostCounts, InterceptorCounts } from "./interceptor.ts";

const MAX_HOSTS = 1000;
const MAX_TOLD = 500;
const MAX_PROBLEM_CHARS = 300;
const OTHERS = "other hosts";
const ENOUGH = "more hosts have trouble; from here on it is only counted";

type Kind = "unseen" | "unopened" | "bypassed" | "passed" | "keptIn" | "clientErrors";
type Row = { -readonly [K in keyof HostCounts]: HostCounts[K] };

/**
 * Counts by host what was not simply read, and says what goes wrong: once per host and reason. Its memory is bounded: past
 * a thousand hosts the rest share one row, past five hundred messages there is one last.
 */
export class HostLedger {
  readonly #counts: InterceptorCounts;
  readonly #tell: (text: string) => void;
  readonly #rows = new Map<string, Row>();
  readonly #told = new Set<string>();

  constructor(counts: InterceptorCounts, tell: (text: string) => void) {
    this.#counts = counts;
    this.#tell = tell;
  }

  /** Counts one connection or request of a host. */
  count(kind: Kind, host: Endpoint): void {
    this.#row(host)[kind] += 1;
  }

  /** Counts an error of one side, and tells it unless that host had it before. */
  trouble(side: "upstream" | "client", host: Endpoint, problem: string): void {
    const kind = side === "upstream" ? "upstreamErrors" : "clientErrors";
    const row = this.#row(host);
    this.#counts[kind] += 1;
    row[kind] += 1;
    row.problem = problem.slice(0, MAX_PROBLEM_CHARS);
    this.#say(`${formatEndpoint(host)}: ${row.problem}`);
  }

  rows(): HostCounts[] {
    return [...this.#rows.values()].map((row) => ({ ...row }));
  }

  #row(host: Endpoint): Row {
    const endpoint = formatEndpoint(host);
    const key = this.#rows.has(endpoint) || this.#rows.size < MAX_HOSTS ? endpoint : OTHERS;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row: Row = {
      endpoint: key,
      unseen: 0,
      unopened: 0,
      bypassed: 0,
      passed: 0,
      keptIn: 0,
      upstreamErrors: 0,
      clientErrors: 0,
    };
    this.#rows.set(key, row);
    return row;
  }

  #say(text: string): void {
    if (this.#told.has(text) || this.#told.size > MAX_TOLD) return;
    this.#told.add(text);
    this.#tell(this.#told.size > MAX_TOLD ? ENOUGH : text);
  }
}
