import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Page } from "playwright-core";
import { NEEDS_CHROMIUM } from "../support/chromium.ts";
import { growingLog } from "../support/growing-log.ts";
import { startServe } from "../support/processes.ts";
import { MAIN } from "../support/project.ts";
import { axeFindings, LOOKS, type Look, openReader } from "../support/report-page.ts";
import { CHAT_OPTIONS, runPlace, sender } from "../support/run-command.ts";

const PATIENCE = { timeout: 60_000 };

async function look(page: Page, as: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: as === "dark" ? "dark" : "light", reducedMotion: "reduce" });
  await page.setViewportSize(as === "phone" ? { width: 390, height: 844 } : { width: 1280, height: 900 });
}

/** An app that clicks a chat whenever a file of that name appears in its folder, so that a test decides when. */
const APP = sender(`
  const { existsSync } = require("node:fs");
  for (const chatId of ["general", "design", "support", "release", "random"]) {
    while (!existsSync("go-" + chatId)) await new Promise((done) => setTimeout(done, 20));
    await send("chat_switch", { chatId, Action: { Gesture: "click" } });
  }
`);

test(
  "a run appears on the served page when it starts, its markers light up, and its verdict settles, without a reload",
  NEEDS_CHROMIUM,
  async (t) => {
    const place = runPlace(t);
    const { cwd, options } = place;
    const server = await startServe(t, [], options);
    const page = await (await openReader(t)).newPage();
    const troubles: string[] = [];
    page.on("pageerror", (error) => void troubles.push(error.message));
    page.on("console", (message) => void (message.type() === "error" && troubles.push(message.text())));
    const answer = await page.goto(server.url);
    assert.match(answer?.headers()["content-security-policy"] ?? "", /default-src 'none'.*script-src 'sha256-/);
    await page.waitForSelector("#live-none", PATIENCE);

    const words = [
      "run",
      "-n",
      "1",
      "--sink",
      "-s",
      "simple_collab_switch",
      "--settle",
      "idle=300ms,max=3s",
      "--evidence",
      "off",
    ];
    const command = ["--", process.execPath, "-e", APP];
    const run = spawn(process.execPath, [MAIN, ...words, ...command], {
      ...options,
      env: { ...process.env, ...options.env },
      stdio: "ignore",
    });
    const ended = once(run, "close");
    await page.waitForSelector(".live-run", PATIENCE);
    await page.waitForSelector('.light[data-light="waiting"]', PATIENCE);
    writeFileSync(join(cwd, "go-general"), "");
    await untilLit(page, 1);
    writeFileSync(join(cwd, "go-design"), "");
    await untilLit(page, 2);
    for (const as of LOOKS) {
      await look(page, as);
      assert.deepEqual(await axeFindings(page), [], `live, ${as}`);
      const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      assert.ok(over <= 0, `${as} is ${over} px too wide`);
    }
    for (const chat of ["support", "release", "random"]) writeFileSync(join(cwd, `go-${chat}`), "");
    const [code] = (await ended) as [number];
    assert.equal(code, 0);
    await page.waitForSelector("text=1 of 1 run passed", PATIENCE);
    await page.evaluate("location.hash = '#/live'");
    await page.waitForSelector("#settled .verdict.v-pass", PATIENCE);
    await page.click("#settled a");
    await page.waitForSelector("ol.markers .m-f", PATIENCE);
    await page.waitForSelector("text=chat_switch", PATIENCE);
    for (const as of LOOKS) {
      await look(page, as);
      assert.deepEqual(await axeFindings(page), [], `run, ${as}`);
    }
    assert.deepEqual(troubles, []);
  },
);

test(
  "what an app beside a proxy does lights up on the served page; hostile names are text",
  NEEDS_CHROMIUM,
  async (t) => {
    const { cwd, options, file } = runPlace(t);
    file(
      "markers/evil.yaml",
      'waymark: 1\nscenario: evil\nmarkers:\n  - name: "<img src=x onerror=alert(1)>"\n    event: first\n  - name: second\n    event: second\n',
    );
    const log = growingLog(join(cwd, "logs", "telemetry"));
    log.control("start");
    const server = await startServe(t, [], options);
    const page = await (await openReader(t)).newPage();
    page.on("dialog", (dialog) => assert.fail(dialog.message()));
    await page.goto(`${server.url}/#/live`);
    await page.waitForSelector('[data-run="beside"] .light[data-light="waiting"]', PATIENCE);
    log.event("first");
    log.event("</script><img src=x onerror=alert(2)>\u202e");
    await untilLit(page, 1);
    await page.waitForSelector("text=<img src=x onerror=alert(1)>", PATIENCE);
    assert.match((await page.textContent(".live-facts")) ?? "", /last <\/script><img src=x onerror=alert\(2\)>\\u202e/);
    assert.equal(await page.$("main img"), null);
    log.control("stop");
    await page.waitForSelector("#live-none", PATIENCE);
  },
);

test("artifacts are served in parts, only from inside the run's folder; other hosts and origins are refused", async (t) => {
  const place = runPlace(t);
  const { code } = await place.run(
    "-n",
    "1",
    ...CHAT_OPTIONS,
    "--settle",
    "idle=200ms,max=2s",
    "--evidence",
    "off",
    "--",
    process.execPath,
    "-e",
    "",
  );
  assert.ok(code !== null);
  const [folder = ""] = place.runFolders();
  const id = folder.split("/").at(-1) ?? "";
  mkdirSync(join(folder, "evidence"), { recursive: true });
  const video = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251));
  writeFileSync(join(folder, "evidence", "page.webm"), video);
  writeFileSync(join(place.cwd, "secret.webm"), "secret");
  symlinkSync(join(place.cwd, "secret.webm"), join(folder, "evidence", "link.webm"));
  const manifest = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as object;
  const artifacts = ["evidence/page.webm", "../../../secret.webm", "evidence/link.webm", "run.json"].map((path) => ({
    kind: "video",
    path,
  }));
  writeFileSync(join(folder, "run.json"), JSON.stringify({ ...manifest, artifacts }));
  const server = await startServe(t, [], place.options);
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}${path}`, { headers });
  const artifact = (n: number): string => `/v1/runs/${id}/artifact?n=${n}`;

  const whole = await get(artifact(0));
  assert.deepEqual(
    [whole.status, whole.headers.get("accept-ranges"), whole.headers.get("content-type")],
    [200, "bytes", "video/webm"],
  );
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), video);
  const part = await get(artifact(0), { Range: "bytes=100-199" });
  assert.deepEqual(
    [part.status, part.headers.get("content-range"), part.headers.get("content-length")],
    [206, "bytes 100-199/1000", "100"],
  );
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), video.subarray(100, 200));
  const tail = await get(artifact(0), { Range: "bytes=-10" });
  assert.deepEqual(Buffer.from(await tail.arrayBuffer()), video.subarray(990));
  const beyond = await get(artifact(0), { Range: "bytes=1000-" });
  assert.deepEqual([beyond.status, beyond.headers.get("content-range")], [416, "bytes */1000"]);
  assert.deepEqual(
    await Promise.all([1, 2, 3, 9].map(async (n) => (await get(artifact(n))).status)),
    [403, 403, 404, 404],
  );
  assert.equal((await get("/v1/runs/..%2F..%2Fsecret/artifact?n=0")).status, 404);
  assert.equal((await get("/v1/page?runs=..%2Fsecret.zip")).status, 400);
  const unknown = await get("/v1/page?runs=nosuchrun");
  assert.equal(unknown.status, 404);
  assert.match(await unknown.text(), /no stored run answers to \\"nosuchrun\\"/);
  assert.equal((await get("/", { Accept: "text/html", Origin: "http://evil.example" })).status, 403);
  assert.equal((await get("/v1/page", { Origin: "http://evil.example" })).status, 403);
  const data = (await (await get("/v1/page")).json()) as { schema: string; runs: { id: string }[] };
  assert.deepEqual([data.schema, data.runs.map((run) => run.id)], ["waymark.page/1", [id]]);
  assert.ok(readdirSync(folder).includes("run.json"));
});

test("with a token the page is opened by its address once, and a cookie that reads and changes nothing follows", async (t) => {
  const { options } = runPlace(t);
  const server = await startServe(t, ["--token", "s3cret-token"], options);
  const html = { Accept: "text/html" };
  assert.equal((await fetch(server.url, { headers: html })).status, 401);
  assert.equal((await fetch(`${server.url}/?token=wrong`, { headers: html })).status, 401);
  const opened = await fetch(`${server.url}/?token=s3cret-token`, { headers: html, redirect: "manual" });
  assert.deepEqual([opened.status, opened.headers.get("location")], [303, "/"]);
  const set = opened.headers.get("set-cookie") ?? "";
  assert.match(set, /HttpOnly; SameSite=Strict/);
  assert.ok(!set.includes("s3cret-token"));
  const cookie = set.split(";")[0] ?? "";
  assert.equal((await fetch(server.url, { headers: { ...html, Cookie: cookie } })).status, 200);
  assert.equal((await fetch(`${server.url}/v1/page`, { headers: { Cookie: cookie } })).status, 200);
  const posted = await fetch(server.url, {
    method: "POST",
    headers: { Cookie: cookie, "Content-Type": "application/json" },
    body: "{}",
  });
  assert.equal(posted.status, 401, "the cookie opens nothing that changes something");
});

async function untilLit(page: Page, count: number): Promise<void> {
  await page.waitForSelector(`.lights:has(> .light[data-light="found"]:nth-child(${count}))`, PATIENCE);
}
