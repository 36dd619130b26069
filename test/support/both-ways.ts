import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createSecureContext } from "node:tls";
import { type LoopbackCertificate, loopbackCertificate } from "./certificate.ts";
import { type RunningProxy, startProxy } from "./processes.ts";
import { scratchFolder } from "./scratch.ts";

/** Bytes as they are compared and shown. */
export interface Sum {
  readonly bytes: number;
  readonly sha256: string;
}

export function sumOf(bytes: Uint8Array): Sum {
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** All that a client, and where it can be told the origin, saw of one exchange. */
export interface Outcome {
  readonly status: number | string;
  /** Raw: every one, names as sent, in order. */
  readonly headers: readonly string[];
  readonly body: Sum;
  readonly trailers?: readonly string[];
  /** How the conversation ended, where its protocol has words for that. */
  readonly close?: string;
  /** What came after what. */
  readonly order?: readonly string[];
  /** The request as it arrived at the origin. */
  readonly received?: unknown;
}

/** How a client comes to the origin. */
export interface Way {
  /** Absent: it goes there itself. */
  readonly proxyPort: number | undefined;
  /** PEM of who signed what the client gets to see, and the file with it. */
  readonly ca: string;
  readonly caFile: string;
  readonly secureContext: ReturnType<typeof createSecureContext>;
}

export interface BothWays {
  readonly proxy: RunningProxy;
  readonly cwd: string;
  /** Of the origins. */
  readonly pair: LoopbackCertificate;
  readonly direct: Way;
  readonly through: Way;
}

/** Names that the origins' certificate is for, besides loopback's addresses. */
export const NAMES = ["localhost", "origin.test"] as const;

/** Starts `waymark proxy --all` with further words, trusting the origins' certificate. */
export async function bothWays(t: TestContext, words: readonly string[] = []): Promise<BothWays> {
  const cwd = scratchFolder(t);
  const pair = await loopbackCertificate(NAMES);
  const originCa = join(cwd, "origin-ca.pem");
  writeFileSync(originCa, pair.cert);
  const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
  const proxy = await startProxy(t, ["--all", "--upstream-ca", originCa, ...words], { cwd, env });
  const wayBy = (caFile: string, proxyPort: number | undefined): Way => {
    const ca = readFileSync(caFile, "utf8");
    return { proxyPort, ca, caFile, secureContext: createSecureContext({ ca }) };
  };
  const through = wayBy(join(cwd, "ca", "waymark-ca.pem"), proxy.port);
  return { proxy, cwd, pair, direct: wayBy(originCa, undefined), through };
}

/** Lines of the table that is printed at the end. */
const table: string[] = [];

/** Has the same exchanges twice, direct and through the proxy, compares all that was seen, and notes a line. */
export async function assertSame(
  { direct, through }: Pick<BothWays, "direct" | "through">,
  what: string,
  exchanges: (way: Way) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const wanted = await exchanges(direct);
  const seen = await exchanges(through);
  assert.ok(wanted.length > 0);
  assert.deepEqual(seen, wanted, what);
  table.push(lineOf(what, wanted));
  return wanted;
}

const WIDTHS = [46, 9, 18, 8, 16, 9, 20] as const;
const HEADINGS = ["exchange", "exchanges", "status", "headers", "body bytes", "trailers", "close"];

/** The table so far, each row an exchange that was the same both ways. */
export function comparisonTable(): readonly string[] {
  return [inColumns(HEADINGS), ...table];
}

function lineOf(what: string, outcomes: readonly Outcome[]): string {
  const count = (list: (outcome: Outcome) => number): string =>
    String(outcomes.reduce((sum, outcome) => sum + list(outcome), 0));
  const each = (word: (outcome: Outcome) => string): string => [...new Set(outcomes.map(word))].join(" ");
  return inColumns([
    what,
    String(outcomes.length),
    each(({ status }) => String(status)),
    count(({ headers }) => headers.length),
    count(({ body }) => body.bytes),
    count(({ trailers = [] }) => trailers.length),
    each(({ close = "" }) => close).trim(),
  ]);
}

function inColumns(cells: readonly string[]): string {
  return `${cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join("  ")}  same`;
}
