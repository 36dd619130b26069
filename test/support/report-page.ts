import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { scratchFolder } from "./scratch.ts";

export type Look = "light" | "dark" | "phone";

export const LOOKS: readonly Look[] = ["light", "dark", "phone"];

/** A browser for reports, closed when the test ends; only then does its profile go. */
export function openReader(t: Pick<TestContext, "after">): Promise<BrowserContext> {
  const later: (() => unknown)[] = [];
  const profile = join(scratchFolder({ after: (clean) => void later.push(clean as () => unknown) }), "profile");
  const after = (close: unknown): void => {
    t.after(async () => {
      await (close as () => Promise<void>)();
      for (const clean of later) clean();
    });
  };
  return openChromium({ after }, profile, []);
}

export interface OpenReport {
  readonly page: Page;
  /** What went wrong in the page: errors, refused scripts, dialogs. Empty in a sound report. */
  readonly troubles: readonly string[];
  goTo(hash: string): Promise<void>;
}

/** Opens a report from its file, in one of its looks, and waits until it shows something. */
export async function openReport(context: BrowserContext, file: string, look: Look = "light"): Promise<OpenReport> {
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => void troubles.push(`error: ${error.message}`));
  page.on("console", (message) => void (message.type() === "error" && troubles.push(`console: ${message.text()}`)));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light", reducedMotion: "reduce" });
  await page.setViewportSize(look === "phone" ? { width: 390, height: 844 } : { width: 1280, height: 900 });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("#page[data-ready]");
  return {
    page,
    troubles,
    goTo: async (hash) => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await settled(page);
    },
  };
}

/** Waits until two frames have been drawn, and nothing is being unpacked. */
export async function settled(page: Page): Promise<void> {
  const frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
  await page.evaluate(frames);
  await until(page, '!document.body.innerText.includes("Unpacking")');
  await page.evaluate(frames);
}

const PATIENCE_MS = 60_000;

/** Waits, frame by frame, until an expression holds in the page, whose policy refuses the browser's own waiting. */
export async function until(page: Page, expression: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`))) {
    if (performance.now() > deadline) throw new Error(`it never held that ${expression}`);
    await page.evaluate("new Promise((done) => requestAnimationFrame(done))");
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What axe-core finds wrong with the page as it stands: `rule: element`. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // The page's policy refuses foreign scripts, so axe comes in by the debugger, which it does not bind.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
