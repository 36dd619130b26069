import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { type BrowserContext, chromium } from "playwright-core";

const PLACES = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** The browser of this machine; undefined where none is installed. */
export const CHROMIUM = PLACES.find((place) => place !== "" && existsSync(place));

/** Test option that skips, with its reason, where no Chromium is installed. */
export const NEEDS_CHROMIUM = {
  skip: CHROMIUM === undefined ? "no Chromium is installed (set CHROMIUM to its path)" : false,
};

/** A headless Chromium with a profile of its own, closed when the test ends. */
export async function openChromium(
  t: Pick<TestContext, "after">,
  profile: string,
  args: readonly string[],
): Promise<BrowserContext> {
  const quiet = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  const context = await chromium.launchPersistentContext(profile, {
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    headless: true,
    args: [...quiet, ...args],
  });
  t.after(() => context.close());
  return context;
}
