// Opens a page with one of the apps in web/ in Chromium, lets it tell its story, leaves the page, and says how it went:
// node browse.mjs web/APP.mjs
import { createServer } from "node:http";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { say } from "./story.mjs";

const [app = ""] = process.argv.slice(2);
const folder = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = await build({
  entryPoints: [app],
  absWorkingDir: folder,
  bundle: true,
  write: false,
  format: "iife",
  platform: "browser",
  conditions: ["module", "import", "browser"],
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "error",
});
const script = outputFiles[0].text;
const types = { ".js": "text/javascript; charset=utf-8", ".html": "text/html; charset=utf-8" };
const server = createServer((request, response) => {
  const isScript = request.url === "/app.js";
  response.setHeader("Content-Type", types[isScript ? ".js" : ".html"]);
  response.end(
    isScript ? script : '<!doctype html><title>chat</title><button>Open</button><script src="/app.js"></script>',
  );
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const site = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launchPersistentContext("", {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage();
const [statuses, troubles] = [[], []];
const isService = (url) => !url.startsWith(site);
page.on("response", (response) => {
  if (isService(response.url()) && response.request().method() !== "OPTIONS") statuses.push(response.status());
});
page.on("requestfailed", (request) => {
  const words = request.failure()?.errorText;
  const isOurs = words === "net::ERR_ABORTED"; // the page itself broke it off
  if (isService(request.url()) && !isOurs) troubles.push(`${request.url()}: ${words}`);
});
page.on("pageerror", (error) => troubles.push(String(error)));
await page.goto(`${site}/`);
const words = await page.evaluate("tell()").catch((error) => void troubles.push(String(error)));
await page.waitForLoadState("networkidle");
const [seen, failed] = [[...statuses], [...troubles]]; // what leaving the page breaks off is no trouble
await page.goto(`${site}/left`);
// Beacons outlive the page, not the browser.
await new Promise((resolve) => setTimeout(resolve, seen.length === 0 ? 8_000 : 500));
await browser.close();
server.close();
const isGood = failed.length === 0 && words !== false && seen.every((status) => status < 300);
const counts = `HTTP ${[...new Set(seen)].sort().join(", ") || "by beacon"}`;
say(isGood, [typeof words === "string" ? words : [], counts, failed].flat().join("; "));
process.exit(0);
