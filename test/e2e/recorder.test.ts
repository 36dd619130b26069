import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { findFfmpeg } from "../../grader/trials/evidence/ffmpeg.ts";
import { sha256OfFile, startRecorder } from "../../grader/trials/evidence/index.ts";
import type { TrialArtifact } from "../../grader/trials/trial.ts";
import { CHROMIUM, NEEDS_CHROMIUM } from "../support/chromium.ts";
import { runProgram } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const COLOURS = { red: [255, 0, 0], lime: [0, 255, 0], blue: [0, 0, 255] } as const;
type Colour = keyof typeof COLOURS;

/** A page that is red, then lime, then blue, and tells the server when it changed. */
interface ColourPage {
  readonly url: string;
  /** When the page showed each colour first, by its own clock. */
  readonly changes: Map<Colour, number>;
  readonly finished: Promise<void>;
}

async function colourPage(t: TestContext): Promise<ColourPage> {
  const changes = new Map<Colour, number>();
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const html = `<!doctype html><body style="background:red"><script>
    const show = (colour) => { document.body.style.background = colour;
      requestAnimationFrame(() => fetch("/shown/" + colour + "/" + Date.now())); };
    show("red"); setTimeout(() => show("lime"), 1200); setTimeout(() => show("blue"), 2400);
    setTimeout(() => fetch("/done/x/0"), 3400);
  </script>`;
  const server = createServer((request, response) => {
    const [, what, colour, at] = (request.url ?? "").split("/");
    if (what === "shown") changes.set(colour as Colour, Number(at));
    if (what === "done") finish();
    response.setHeader("content-type", "text/html").end(what === "" ? html : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, changes, finished };
}

function startBrowser(t: TestContext, profile: string, url: string): ChildProcess {
  const quiet = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
  const words = ["--headless=new", ...quiet, "--remote-debugging-port=0", `--user-data-dir=${profile}`, url];
  const child = spawn(CHROMIUM ?? "", words, { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

/** The colour in the middle of the video at an offset, decoded by ffmpeg. */
async function colourAt(video: string, offsetMs: number, folder: string): Promise<string> {
  const raw = join(folder, "pixel.rgb");
  const at = (Math.max(offsetMs, 0) / 1000).toFixed(3);
  const out = ["-vf", "scale=1:1", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", raw];
  const { code, stderr } = await runProgram(findFfmpeg() ?? "", ["-y", "-i", video, "-ss", at, ...out]);
  assert.equal(code, 0, stderr);
  const [r = 0, g = 0, b = 0] = readFileSync(raw);
  const distance = ([x, y, z]: readonly [number, number, number]): number => Math.hypot(r - x, g - y, b - z);
  const known = Object.keys(COLOURS) as Colour[];
  return known.find((colour) => distance(COLOURS[colour]) < 60) ?? `${r},${g},${b}`;
}

function only(artifacts: readonly TrialArtifact[], kind: string): TrialArtifact {
  const [first, ...others] = artifacts.filter((artifact) => artifact.kind === kind);
  assert.ok(first !== undefined && others.length === 0, JSON.stringify(artifacts));
  return first;
}

async function recordColours(t: TestContext, env: { ffmpeg: boolean }) {
  const folder = scratchFolder(t);
  const profile = join(folder, "profile");
  mkdirSync(profile);
  const page = await colourPage(t);
  const path = process.env["PATH"];
  if (!env.ffmpeg) process.env["PATH"] = folder;
  t.after(() => {
    process.env["PATH"] = path;
  });
  const notes: string[] = [];
  const recorder = startRecorder({ folder, profileFolder: profile, on: (note) => void notes.push(note) });
  const browser = startBrowser(t, profile, page.url);
  await page.finished;
  browser.kill("SIGKILL"); // as a run ends: the browser is gone when the recording is asked for
  await once(browser, "exit");
  return { folder, page, artifacts: await recorder.stop(), notes };
}

const NEEDS_BOTH = {
  skip: NEEDS_CHROMIUM.skip || (findFfmpeg() === undefined ? "no ffmpeg is installed" : false),
};

test("the video of a page shows each colour at the time the page showed it", NEEDS_BOTH, async (t) => {
  const { folder, page, artifacts, notes } = await recordColours(t, { ffmpeg: true });
  const video = only(artifacts, "video");
  const begin = Date.parse(video.at ?? "");
  const file = join(folder, video.path);
  assert.equal(video.sha256, await sha256OfFile(file));
  assert.deepEqual(notes, []);
  for (const [colour, at] of page.changes) {
    assert.equal(
      await colourAt(file, at - begin + 600, folder),
      colour,
      `${colour}, ${at - begin} ms into ${video.path}`,
    );
  }
  assert.equal(page.changes.size, 3);
  const shots = artifacts.filter(({ kind }) => kind === "screenshot");
  assert.ok(shots.length >= 2, "one when the page had loaded, one at the end");
  for (const { path } of shots) assert.ok(statSync(join(folder, path)).size > 0);
  assert.ok(!existsSync(join(folder, "evidence", "page-1")), "the frames are in the video");
});

test("without ffmpeg the frames stay, each with its time", NEEDS_CHROMIUM, async (t) => {
  const { folder, page, artifacts } = await recordColours(t, { ffmpeg: false });
  const frames = only(artifacts, "frames");
  const listed = readFileSync(join(folder, frames.path), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { file: string; at: string });
  assert.equal(listed[0]?.at, frames.at);
  for (const [colour, at] of page.changes) {
    const near = listed.find((frame) => Math.abs(Date.parse(frame.at) - at) < 600);
    assert.ok(near !== undefined, `a frame near the change to ${colour}`);
    assert.equal(readFileSync(join(folder, frames.path, "..", near.file)).readUInt16BE(0), 0xffd8);
  }
});

test(
  "a browser that appears among profiles and is still open at the end is photographed and left alone",
  NEEDS_CHROMIUM,
  async (t) => {
    const folder = scratchFolder(t);
    const page = await colourPage(t);
    const profile = join(folder, "browser", "profile-1"); // it appears when the browser makes it
    const recorder = startRecorder({ folder, profilesFolder: join(folder, "browser") });
    const browser = startBrowser(t, profile, page.url);
    await page.finished;
    const artifacts = await recorder.stop();
    assert.ok(artifacts.filter(({ kind }) => kind === "screenshot").length >= 3);
    assert.equal(browser.exitCode, null);
    assert.deepEqual(await recorder.stop(), artifacts);
  },
);

/** Resolves when the file has bytes. */
async function written(file: string): Promise<void> {
  while ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) await delay(50);
}

const XVFB = ["/usr/bin/Xvfb", "/usr/local/bin/Xvfb"].find((path) => existsSync(path));
const NEEDS_XVFB = {
  skip: NEEDS_BOTH.skip || (XVFB === undefined ? "no Xvfb is installed" : false),
};

test("an X11 display is recorded, with the time of its first frame", NEEDS_XVFB, async (t) => {
  const folder = scratchFolder(t);
  const x = spawn(XVFB ?? "", ["-displayfd", "3", "-screen", "0", "320x240x24"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  t.after(() => x.kill());
  const [number] = (await once(x.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
  const before = Date.now();
  const notes: string[] = [];
  const recorder = startRecorder({ folder, display: `:${String(number).trim()}`, on: (note) => void notes.push(note) });
  await written(join(folder, "evidence", "display.webm"));
  const video = only(await recorder.stop(), "video");
  assert.deepEqual(notes, []);
  assert.equal(video.path, "evidence/display.webm");
  assert.ok(Date.parse(video.at ?? "") >= before && Date.parse(video.at ?? "") < Date.now());
});
