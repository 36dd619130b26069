import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { NEEDS_CHROMIUM } from "../support/chromium.ts";
import { addVideos, NEEDS_FFMPEG, playDemo } from "../support/demo-batch.ts";
import { waymark } from "../support/processes.ts";
import { axeFindings, LOOKS, openReader, openReport, settled, until } from "../support/report-page.ts";
import { type RunPlace, runPlace } from "../support/run-command.ts";

async function report(place: RunPlace, ...words: readonly string[]): Promise<string> {
  const file = join(place.cwd, "report.html");
  const { code, stderr } = await waymark(["report", "-o", file, ...words], place.options);
  assert.equal(code, 0, stderr);
  return file;
}

const SCREENS = ["overview", "scenario/0", "compare/0", "markers/0", "trend/0"];

test(
  "every screen of the demo's report, from its file: axe finds nothing in light, dark and 390 px",
  NEEDS_CHROMIUM,
  async (t) => {
    const place = runPlace(t);
    await playDemo(place, { runs: 3, variants: { steady: 52, hasty: 9 } });
    if (NEEDS_FFMPEG.skip === false) addVideos(place.runFolders().slice(0, 2));
    const file = await report(place);
    const context = await openReader(t);
    for (const look of LOOKS) {
      const { page, troubles, goTo } = await openReport(context, file, look);
      const runs = await page.$$eval("a.run-link", (links) => links.map((link) => link.getAttribute("href") ?? ""));
      assert.equal(runs.length, 6);
      const failed = await page.$eval("#broken a", (link) => link.getAttribute("href") ?? "");
      const tabs = ["said", "environment", "process"].map((tab) => `${failed}?tab=${tab}`);
      for (const hash of [...SCREENS.map((screen) => `#/${screen}`), runs[0] ?? "", failed, ...tabs]) {
        await goTo(hash);
        assert.ok((await page.textContent("main"))?.length ?? 0 > 20, `${hash} is empty`);
        await page.$$eval("details.as-table", (all) => all.map((one) => one.setAttribute("open", "")));
        assert.deepEqual(await axeFindings(page), [], `${look} ${hash}`);
        const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        assert.ok(over <= 0, `${look} ${hash} is ${over} px too wide`);
      }
      assert.deepEqual(troubles, []);
      await page.close();
    }
  },
);

test(
  "from the report alone, each within two clicks: how many passed, what broke, what came instead, what it allows to say, the slowest step, the truth",
  NEEDS_CHROMIUM,
  async (t) => {
    const place = runPlace(t);
    assert.equal((await waymark(["demo"], place.options)).code, 0);
    const file = join(place.cwd, "waymark-demo", "report.html");
    const { page, goTo } = await openReport(await openReader(t), file);
    const textOf = async (selector: string): Promise<string> => (await page.textContent(selector))?.trim() ?? "";

    // Without a click.
    assert.equal(await textOf("#runs-passed"), "4 of 5 runs passed");
    assert.equal(await textOf("#gate"), '✗failed gate "all": not met by 1 run');
    assert.match(await textOf("#broken"), /^run 3 never reached Switched to support after Switched to design$/);
    assert.match(await textOf("#interval"), /80% \(95% interval 38–96%\)/);
    assert.equal(await textOf("#can-show"), "5 runs cannot tell 80% from 95%.");
    assert.match(await textOf("#truth"), /disagrees with the grade in run 3: it said “done”/);
    assert.match(await textOf(".slowest"), /^Switched to \w+, \d+ ms$/);

    // One click: what came instead.
    await page.click("#broken a");
    await settled(page);
    assert.match(await textOf("#reason"), /'Switched to support' never reached after 'Switched to design'/);
    const row = page.locator("#clauses tr.not-ok").first();
    assert.match((await row.textContent()) ?? "", /data\.chatId"support""/);
    // And its event, as it stands in the log.
    assert.match((await page.textContent('#detail [aria-label^="Event at"]')) ?? "", /"chat_switch"/);

    // One click: whether the agent told the truth.
    await goTo("#/overview");
    await page.click("#truth a");
    await settled(page);
    assert.match(await textOf("#said"), /The agent said “done”.*▲ The grade disagrees: the run failed\./);

    // One click: the slowest step.
    await goTo("#/overview");
    await page.click(".group h3 a");
    await settled(page);
    assert.match(await textOf("#gaps .says"), /^The slowest step leads to Switched to \w+: \d+ ms at the median\.$/);
  },
);

test("what mutate says of each marker stands beside its line", NEEDS_CHROMIUM, async (t) => {
  const place = runPlace(t);
  assert.equal((await waymark(["demo"], place.options)).code, 0);
  const db = join("waymark-demo", "waymark.db");
  const mutated = await waymark(["mutate", "-s", "simple_collab_switch", "--db", db], place.options);
  assert.equal(mutated.code, 0, mutated.stdout + mutated.stderr);
  const { page, goTo } = await openReport(await openReader(t), await report(place, "--dir", "waymark-demo"));
  await goTo("#/markers/0");
  const noticed = await page.$$eval("tr.marker-line .mutation", (cells) => cells.map((cell) => cell.textContent ?? ""));
  assert.equal(noticed.length, 5);
  for (const said of noticed) {
    const [, some, all] = /^([0-9]+) of ([0-9]+) noticed$/.exec(said) ?? [];
    assert.ok(some !== undefined && some === all && Number(some) > 0, said);
  }
});

/** Notes which markers light up, also those that are lit between two looks. */
const NOTE_LIT = `{
  document.lit = new Set();
  const isLit = ({ target }) => target.getAttribute("aria-current") === "step";
  const note = (records) => records.filter(isLit).forEach(({ target }) => document.lit.add(target.dataset.marker));
  new MutationObserver(note).observe(document.body, { subtree: true, attributeFilter: ["aria-current"] });
}`;

test("a click on a marker seeks the video; playing lights markers up; arrows, j and k, and space work", {
  ...NEEDS_CHROMIUM,
  ...NEEDS_FFMPEG,
}, async (t) => {
  const place = runPlace(t);
  await playDemo(place, { runs: 2 });
  addVideos(place.runFolders());
  const { page, troubles, goTo } = await openReport(await openReader(t), await report(place));
  const first = await page.$eval("a.run-link", (link) => link.getAttribute("href") ?? "");
  await goTo(first);
  await until(page, "document.querySelector('video')?.readyState >= 1");
  const data = await pageRuns(page);
  const at = (data[0]?.results[0]?.marks[2]?.[1] ?? 0) / 1000;
  assert.ok(at > 0.05, `the third marker came ${at} s into the run`);
  await page.click('[data-marker="2"]');
  await until(page, `Math.abs(document.querySelector("video").currentTime - ${at}) < 0.05`);
  assert.match(page.url(), /marker=3/);
  assert.equal(await page.getAttribute('[data-marker="2"]', "aria-current"), "step");

  await page.keyboard.press("ArrowRight");
  await until(page, `document.querySelector("[data-marker='3']").getAttribute("aria-pressed") === "true"`);
  // Slowly, so that a browser that gets little of the processor is not at the video's end before it is looked at.
  await page.evaluate("Object.assign(document.querySelector('video'), { currentTime: 0, playbackRate: 0.1 })");
  await page.evaluate("document.activeElement.blur()");
  await page.evaluate(NOTE_LIT);
  await page.keyboard.press(" ");
  await until(page, "!document.querySelector('video').paused");
  await until(page, `document.lit.has("4")`);
  await page.keyboard.press(" ");
  await until(page, "document.querySelector('video').paused");

  await page.keyboard.press("j");
  await until(page, `location.hash !== ${JSON.stringify(first)} && !location.hash.includes("marker")`);
  await page.keyboard.press("k");
  await until(page, `location.hash === ${JSON.stringify(first)}`);
  assert.deepEqual(troubles, []);
});

test("a video over the limit stands beside the file and plays from there", {
  ...NEEDS_CHROMIUM,
  ...NEEDS_FFMPEG,
}, async (t) => {
  const place = runPlace(t);
  await playDemo(place, { runs: 1 });
  addVideos(place.runFolders());
  const file = await report(place, "--embed-limit", "1KB");
  assert.ok(statSync(join(place.cwd, "report-files", "1-1.webm")).size > 1000);
  const { page, troubles, goTo } = await openReport(await openReader(t), file);
  await goTo(await page.$eval("a.run-link", (link) => link.getAttribute("href") ?? ""));
  await until(page, "document.querySelector('video')?.readyState >= 1");
  assert.deepEqual(troubles, []);
});

test(
  "filters live in the address, the theme can be switched, and a failing run can be copied for an agent",
  NEEDS_CHROMIUM,
  async (t) => {
    const place = runPlace(t);
    await playDemo(place);
    const { page, goTo } = await openReport(await openReader(t), await report(place));
    await goTo("#/overview?verdict=fail");
    assert.equal(await page.locator("a.run-link").count(), 1);
    await page.fill("input[type=search]", "no such run");
    await until(page, "location.hash.includes('q=no+such+run')");
    assert.equal(await page.locator("a.run-link").count(), 0);
    const paper = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await paper();
    await page.click(".theme");
    await page.click(".theme");
    await until(page, `${paper} !== ${JSON.stringify(light)}`);
    await goTo("#/overview");
    await page.click("#broken a");
    await page.click("#copy-for-agent");
    await until(page, "document.querySelector('.copy-text') || document.body.innerText.includes('copied')");
  },
);

test("the page's own code is under 120 kB", () => {
  const asset = readFileSync(new URL("../../grader/report/page/page.json", import.meta.url), "utf8");
  const { script, style } = JSON.parse(asset) as { script: string; style: string };
  assert.ok(Buffer.byteLength(script) + Buffer.byteLength(style) < 120_000);
});

interface RunShape {
  readonly results: readonly { readonly marks: readonly (readonly [string, number | null])[] }[];
}

/** The runs as the page's data has them, unpacked in the browser. */
async function pageRuns(page: { evaluate<T>(script: string): Promise<T> }): Promise<readonly RunShape[]> {
  return page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob(document.getElementById("waymark-data").textContent), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return (await new Response(stream).json()).runs;
  })()`);
}
