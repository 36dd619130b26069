import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { CHROMIUM, NEEDS_CHROMIUM } from "../support/chromium.ts";
import { startTestCollector } from "../support/collector.ts";
import { ENDPOINT, HOST, needs, oneEvent } from "../support/launched-client.ts";
import { type Finished, startProxy, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { pageThatSends } from "../support/sending-page.ts";

interface Place {
  readonly folder: string;
  /** Options that send the telemetry host to the collector of the test. */
  readonly capture: readonly string[];
  open(words: readonly string[], options?: { stdin?: string; env?: Record<string, string> }): Promise<Finished>;
}

async function place(t: TestContext): Promise<Place> {
  const folder = scratchFolder(t);
  const collector = await startTestCollector(t, folder, [HOST]);
  const env = { WAYMARK_CA_DIR: join(folder, "ca") };
  return {
    folder,
    capture: ["--map", `${HOST}=127.0.0.1:${collector.port}`, "--upstream-ca", collector.caFile],
    open: (words, options = {}) =>
      waymark(["open", ...words], { cwd: folder, ...options, env: { ...env, ...options.env } }),
  };
}

function names(folder: string): readonly string[] {
  const text = readFileSync(join(folder, "logs", "telemetry", "telemetry-0.log"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { name: string | null }).name)
    .filter((name) => name !== null);
}

const CURL = `curl -sS --fail --data-binary '${oneEvent("from the shell")}' ${ENDPOINT}`;

test(
  "open terminal: a shell whose programs are captured, and what was captured is said",
  needs("curl", "--version"),
  async (t) => {
    const { folder, capture, open } = await place(t);
    const said = await open(["terminal", ...capture], { stdin: `${CURL}\nsleep 600 &\n`, env: { SHELL: "/bin/sh" } });
    assert.equal(said.code, 0, said.stderr);
    assert.match(said.stderr, /1 request read, 1 event/);
    assert.deepEqual(names(folder), ["from the shell"]);
  },
);

test("open terminal under a proxy that runs: the capture is that proxy's", needs("curl", "--version"), async (t) => {
  const { folder, capture, open } = await place(t);
  const env = { WAYMARK_CA_DIR: join(folder, "ca") };
  const proxy = await startProxy(t, [...capture], { cwd: folder, env });
  const said = await open(["terminal", "--proxy", String(proxy.port)], {
    stdin: `${CURL}\n`,
    env: { SHELL: "/bin/sh" },
  });
  assert.equal(said.code, 0, said.stderr);
  await proxy.stop();
  assert.deepEqual(names(folder), ["from the shell"]);
});

test("open chrome: a fresh profile, a page's telemetry captured, nothing left behind", NEEDS_CHROMIUM, async (t) => {
  const { folder, capture, open } = await place(t);
  const page = await pageThatSends(t, "from the page");
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"];
  const words = [`chrome:${CHROMIUM}`, "--url", page, ...capture, "--json", "--", ...flags];
  const said = await open(words, { env: { TMPDIR: folder } });
  assert.equal(said.code, 0, said.stderr);
  assert.deepEqual(names(folder), ["from the page"]);
  const { schema, exchanges } = JSON.parse(said.stdout) as { schema: string; exchanges: number };
  assert.deepEqual([schema, exchanges > 0], ["waymark.capture/1", true]);
});

test("open electron: switches stand before the app's own arguments, whatever the program is called", async (t) => {
  const { open } = await place(t);
  const said = await open([`electron:${process.execPath}`, "--", "-e", "process.exit(0)"]);
  // no Electron here: Node refuses the switches, which shows that it got them, and that its end is told
  assert.match(said.stderr, /WM_OPEN_FAILED[\s\S]*bad option: --proxy-bypass-list/);
  assert.equal(said.code, 3);
});

test("what cannot be opened is said, with what to do", async (t) => {
  const { open } = await place(t);
  const rows: readonly (readonly [words: readonly string[], code: number, said: RegExp])[] = [
    [["chrom"], 2, /WM_USAGE[\s\S]*did you mean "?chrome/i],
    [["terminal", "--url", "https://a.example"], 2, /WM_USAGE/],
    [["electron:/no/such/app"], 3, /WM_OPEN_NOT_FOUND/],
    [["terminal", "--proxy", "1"], 3, /WM_OPEN_PROXY/],
    [["terminal", "--proxy", "ftp://x"], 2, /WM_USAGE/],
    [["chrome:/no/such/browser"], 3, /WM_OPEN_FAILED/],
  ];
  for (const [words, code, text] of rows) {
    const said = await open(words);
    assert.match(said.stderr, text, words.join(" "));
    assert.equal(said.code, code, words.join(" "));
  }
});
