import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Outcome, sumOf, type Way } from "../both-ways.ts";
import { runProgram } from "../processes.ts";
import type { Origin } from "../raw-origins.ts";

export interface CurlOrder {
  readonly url: string;
  /** Where curl may leave its files. */
  readonly folder: string;
  /** How the proxy is come to. */
  readonly proxy: (port: number) => readonly string[];
  /** Words for going there without it. */
  readonly direct?: readonly string[];
  readonly words?: readonly string[];
}

const BODY = randomBytes(150_000);

/** What curl sends and gets with one command line; the same one, but for the way there. */
export async function curlExchange(way: Way, origin: Origin, order: CurlOrder): Promise<Outcome[]> {
  const { url, folder, proxy, direct = [], words = [] } = order;
  const [sent, heads, got] = ["sent", "heads", "got"].map((name) => join(folder, `curl-${name}`));
  if (sent === undefined || heads === undefined || got === undefined) throw new Error("no file names");
  writeFileSync(sent, BODY);
  const there = way.proxyPort === undefined ? direct : [...proxy(way.proxyPort), "--suppress-connect-headers"];
  const files = ["--cacert", way.caFile, "-D", heads, "-o", got, "--data-binary", `@${sent}`];
  const { code, stdout, stderr } = await runProgram(
    "curl",
    [
      "-q",
      "-sS",
      "-g",
      "--noproxy",
      "",
      "--max-time",
      "300",
      ...files,
      "-w",
      "%{http_version}",
      ...words,
      ...there,
      url,
    ],
    { env: { HTTP_PROXY: "", http_proxy: "", HTTPS_PROXY: "", https_proxy: "", ALL_PROXY: "", all_proxy: "" } },
  );
  if (code !== 0) throw new Error(`curl ended with ${code}: ${stderr}`);
  const lines = readFileSync(heads, "latin1").split("\r\n");
  const last = lines.findLastIndex((line) => line.startsWith("HTTP/"));
  return [
    {
      status: lines[last]?.split(" ")[1] ?? "",
      headers: lines,
      body: sumOf(readFileSync(got)),
      close: `HTTP/${stdout}`,
      received: origin.taken(),
    },
  ];
}
