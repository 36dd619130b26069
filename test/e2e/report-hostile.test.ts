import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { pageDataOf } from "../../grader/report/page/page-data.ts";
import { renderPage } from "../../grader/report/page/render.ts";
import { NEEDS_CHROMIUM } from "../support/chromium.ts";
import { HOSTILE, hostileTrials } from "../support/hostile-results.ts";
import { waymark } from "../support/processes.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { type OpenReport, openReader, openReport } from "../support/report-page.ts";
import { scratchFolder } from "../support/scratch.ts";

const LIST = "Array.from(document.querySelectorAll('*'))";
/** Anything that data could have become: handlers, scripts besides the page's own and pictures, links that run. */
const INJECTED = `${LIST}.filter((one) =>
  one.getAttributeNames().some((name) => name.startsWith("on")) ||
  (one.tagName === "IMG" && !one.closest(".media")) ||
  (one.tagName === "SCRIPT" && !["text/plain", "application/json"].includes(one.type) &&
    one !== document.querySelector("body > script:not([type], [src])")) ||
  /^\\s*javascript:/i.test(one.getAttribute("href") ?? "")).map((one) => one.outerHTML)`;

/** Looks at every screen and says what was injected, and what stood there that could turn or hide text. */
async function walk({
  page,
  goTo,
}: OpenReport): Promise<{ readonly injected: readonly string[]; readonly said: string }> {
  const runs = await page.$$eval("a.run-link", (links) => links.map((link) => link.getAttribute("href") ?? ""));
  const injected: string[] = [];
  let said = "";
  const tabs = ["events", "said", "environment", "process"].flatMap((tab) => runs.map((run) => `${run}?tab=${tab}`));
  for (const hash of ["#/overview", "#/scenario/0", "#/markers/0", "#/compare/0", "#/trend/0", ...tabs]) {
    await goTo(hash);
    injected.push(...(await page.evaluate<string[]>(INJECTED)));
    said += await page.evaluate<string>("document.body.textContent + document.title");
  }
  return { injected, said };
}

/** The text that is shown, without the packed data and code of the page. */
function strange(said: string): readonly string[] {
  return [...said].filter(
    (character) => !"\n\t".includes(character) && /[\p{Cc}\p{Bidi_Control}\u2028]/u.test(character),
  );
}

test("hostile names on every screen are text: nothing runs, nothing turns the line", NEEDS_CHROMIUM, async (t) => {
  const batch = {
    id: HOSTILE,
    at: HOSTILE,
    scenario: HOSTILE,
    sha256: "0".repeat(64),
    passed: 1,
    failed: 1,
    unknown: 0,
    rate: 0.5,
    interval: { low: 0.1, high: 0.9 },
    changed: [HOSTILE],
    shown: false,
  };
  const data = pageDataOf({
    trials: hostileTrials(),
    madeAt: "2026-01-31T12:00:00.000Z",
    gate: "all",
    title: HOSTILE,
    history: [batch, { ...batch, id: "2", shown: true }],
    notes: [HOSTILE],
    scenarios: [
      {
        name: HOSTILE,
        sha256: hostileTrials()[0]?.results[0]?.markers_sha256 ?? "",
        title: HOSTILE,
        description: HOSTILE,
        text: `${HOSTILE}\n`.repeat(5),
        withinMs: new Map([[HOSTILE, 100]]),
        optional: new Set(),
      },
    ],
  });
  const file = join(scratchFolder(t), "hostile.html");
  writeFileSync(file, renderPage(data));
  const report = await openReport(await openReader(t), file);
  const { injected, said } = await walk(report);
  assert.deepEqual(injected, []);
  assert.deepEqual(report.troubles, []);
  assert.deepEqual(strange(said), []);
  assert.match(said, /<img src=x onerror=alert\(1\)>\\u001b\[31m\\u0000\\u202eevil\\u2028/);
});

/** The case's scenario in waymark's words: its markers carry the case's markup as name, event and title. */
const SCENARIO = `waymark: 1
scenario: evil
title: '<img src=x onerror=alert(1)>'
markers:
  - name: 'a"><script>alert(1)</script>'
    event: '<img src=x onerror=alert(1)>'
  - name: '</script><script>alert(2)</script>'
    event: 'never'
    where: { props.url: 'javascript:alert(1)' }
`;

async function gradedReport(t: TestContext, log: string): Promise<string> {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "evil.yaml"), SCENARIO);
  const graded = await waymark(["grade", log, "--markers", cwd, "-s", "evil"], { cwd });
  assert.equal(graded.code, 1, graded.stderr);
  const { code, stderr } = await waymark(["report", "-o", "report.html"], { cwd });
  assert.equal(code, 0, stderr);
  return join(cwd, "report.html");
}

for (const [id, log] of [
  ["J01", "evil.ndjson"],
  ["J02", "close.ndjson"],
] as const) {
  test(`case ${id}: a log full of markup makes a report in which none of it is markup`, {
    ...NEEDS_CHROMIUM,
    ...needsShared("cases", id),
  }, async (t) => {
    const file = await gradedReport(t, join(SHARED, "cases", id, log));
    const html = readFileSync(file, "utf8");
    assert.match(html, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
    const report = await openReport(await openReader(t), file);
    const { injected } = await walk(report);
    assert.deepEqual(injected, []);
    assert.deepEqual(report.troubles, []);
  });
}
