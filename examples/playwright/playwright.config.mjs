import { defineConfig } from "@playwright/test";

// CHROMIUM names a browser of the system; without it Playwright's own is used.
const executablePath = process.env.CHROMIUM;
// biome-ignore lint/style/noDefaultExport: Playwright reads its configuration from it
export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.mjs",
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    launchOptions: { ...(executablePath ? { executablePath } : {}), args: ["--no-sandbox"] },
  },
});
