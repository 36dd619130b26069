import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect as baseExpect, test as baseTest, type TestInfo } from "@playwright/test";
import { sayResult } from "../grader/evaluator/words.ts";
import { type Capture, type ProxyOptions, startCapture } from "./capture.ts";
import { createWitness, type Waymark } from "./witness.ts";

export type { ProxyOptions } from "./capture.ts";
export type { Waymark } from "./witness.ts";

/** Settings of a test file or project: `test.use({ waymarkScenarios: ["checkout"] })`. */
export interface WaymarkOptions {
  /** Folder of scenarios. */
  waymarkMarkers: string;
  /** Scenarios that `waymark.marker()` looks in; all of the folder when empty. */
  waymarkScenarios: string[];
  /** Longest wait of `marker` and `toHaveReached`, in milliseconds. */
  waymarkTimeout: number;
}

interface TestFixtures extends WaymarkOptions {
  waymark: Waymark;
}

interface WorkerFixtures {
  /** Settings of the worker's proxy. */
  waymarkProxy: ProxyOptions;
  waymarkCapture: Capture;
}

const TIMEOUT_MS = 5000;

/**
 * Playwright's `test` with a proxy per worker, through which every page goes, and a `waymark` per test that knows what the
 * app reported since the test began. On failure the grades, the nearest miss and the telemetry are attached.
 */
export const test = baseTest.extend<TestFixtures, WorkerFixtures>({
  waymarkMarkers: ["markers", { option: true }],
  waymarkScenarios: [[], { option: true }],
  waymarkTimeout: [TIMEOUT_MS, { option: true }],
  waymarkProxy: [{}, { option: true, scope: "worker" }],
  waymarkCapture: [
    async ({ waymarkProxy }, use) => {
      const folder = mkdtempSync(join(tmpdir(), "waymark-playwright-"));
      const capture = await startCapture(folder, waymarkProxy);
      try {
        await use(capture);
      } finally {
        await capture.close();
        rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      }
    },
    { scope: "worker" },
  ],
  proxy: async ({ waymarkCapture }, use) => {
    await use({ server: waymarkCapture.url, bypass: "<-loopback>" });
  },
  // the proxy answers with certificates of its own authority
  ignoreHTTPSErrors: async ({ waymarkCapture: _ }, use) => {
    await use(true);
  },
  waymark: async ({ waymarkCapture, waymarkMarkers, waymarkScenarios, waymarkTimeout }, use, info) => {
    const witness = createWitness({
      capture: waymarkCapture,
      markers: waymarkMarkers,
      scenarios: waymarkScenarios,
      since: new Date().toISOString(),
      timeoutMs: waymarkTimeout,
    });
    await use(asSteps(witness));
    if (info.status !== info.expectedStatus) await attachEvidence(info, { witness, capture: waymarkCapture });
  },
});

/** Each wait is a step of the test's report. */
function asSteps(witness: Waymark): Waymark {
  return {
    ...witness,
    graded: witness.graded,
    marker: (name, options) => test.step(`waymark: marker ${name}`, () => witness.marker(name, options)),
    grade: (scenario, options) => test.step(`waymark: scenario ${scenario}`, () => witness.grade(scenario, options)),
  };
}

async function attachEvidence(
  info: TestInfo,
  { witness, capture }: { witness: Waymark; capture: Capture },
): Promise<void> {
  await capture.flush();
  const { graded } = witness;
  if (graded.length > 0) {
    await info.attach("grade.json", {
      body: JSON.stringify({ schema: "waymark.result/1", results: graded }, undefined, 2),
      contentType: "application/json",
    });
    await info.attach("waymark.txt", { body: `${graded.map(sayResult).join("\n")}\n`, contentType: "text/plain" });
  }
  const text = await telemetrySince(capture.log, witness.since);
  if (text !== "") await info.attach("telemetry.ndjson", { body: text, contentType: "application/x-ndjson" });
}

const MOST_CHARS = 2_000_000;

/** The lines that arrived since the test began; the newest when they are many. */
async function telemetrySince(log: string, since: string): Promise<string> {
  const text = await readFile(join(log, "telemetry-0.log"), "utf8").catch(() => ""); // nothing was sent yet
  const lines = text.split("\n").filter((line) => (/"at":"([^"]+)"/.exec(line)?.[1] ?? "") >= since);
  return lines.join("\n").slice(-MOST_CHARS);
}

/** Playwright's `expect` with `toHaveReached(scenario)`: the scenario passes on what the app reported in this test. */
export const expect = baseExpect.extend({
  async toHaveReached(waymark: Waymark, scenario: string, options?: { readonly timeout?: number }) {
    const result = await waymark.grade(scenario, options);
    const pass = result.verdict === "pass";
    return {
      pass,
      name: "toHaveReached",
      expected: "pass",
      actual: result.verdict,
      message: () => `expected the app ${this.isNot ? "not " : ""}to have reached "${scenario}"; ${sayResult(result)}`,
    };
  },
});
