import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openAuthority } from "../../../../certs/authority.ts";
import { browserArguments, profilesFolder } from "../../../../proxy/launch/index.ts";
import { scratchFolder } from "../../../support/scratch.ts";

async function prepare(t: TestContext, command: readonly string[], evidence = false) {
  const folder = scratchFolder(t);
  const { authority } = await openAuthority(join(folder, "ca"));
  const order = { proxyUrl: "http://127.0.0.1:8899", certFile: authority.certFile, folder, evidence };
  return { ...browserArguments(command, order), profiles: profilesFolder(folder) };
}

const BROWSERS = [
  "chromium",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "msedge.exe",
  "/opt/playwright/chrome-headless-shell",
  "headless_shell",
];

for (const browser of BROWSERS) {
  test(`${browser} is a browser, and gets its switches before its own arguments`, async (t) => {
    const { command, kind, profile, profiles } = await prepare(t, [browser, "--headless", "https://example.com"]);
    assert.equal(kind, "chromium");
    assert.equal(command[0], browser);
    assert.deepEqual(command.slice(-2), ["--headless", "https://example.com"]);
    assert.ok(command.includes("--proxy-server=http://127.0.0.1:8899"));
    assert.ok(command.includes("--proxy-bypass-list=<-loopback>"));
    assert.ok(command.some((item) => /^--ignore-certificate-errors-spki-list=[A-Za-z0-9+/]{43}=$/.test(item)));
    for (const item of [
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ])
      assert.ok(command.includes(item));
    assert.ok(profile?.startsWith(profiles) && command.includes(`--user-data-dir=${profile}`));
    assert.ok(!command.some((item) => item.startsWith("--remote-debugging-port")));
  });
}

test("nothing that is given is overridden", async (t) => {
  const given = ["--proxy-server=http://corp:3128", "--user-data-dir=/mine", "--remote-debugging-port=9222"];
  const { command, profile } = await prepare(t, ["chromium", ...given], true);
  const names = command.map((item) => item.split("=")[0]);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  for (const item of given) assert.ok(command.includes(item));
  assert.equal(profile, "/mine");
});

test("a debugging port is asked for when evidence is wanted", async (t) => {
  assert.ok((await prepare(t, ["chromium"], true)).command.includes("--remote-debugging-port=0"));
});

test("Electron is known by its name, and a packaged app by what lies beside it", async (t) => {
  assert.equal((await prepare(t, ["node_modules/.bin/electron", "."])).kind, "electron");
  const folder = scratchFolder(t);
  mkdirSync(join(folder, "resources"));
  for (const name of ["my-app", "chrome_100_percent.pak", join("resources", "app.asar")])
    writeFileSync(join(folder, name), "", { mode: 0o755 });
  const { kind, command } = await prepare(t, [join(folder, "my-app"), "file.txt"]);
  assert.equal(kind, process.platform === "win32" ? undefined : "electron");
  assert.equal(command.at(-1), "file.txt");
});

test("any other command comes back as it is", async (t) => {
  for (const command of [["node", "agent.js"], ["chromedriver"], ["my-chromium-test"], [process.execPath], []]) {
    assert.deepEqual(await prepare(t, command).then(({ command: same, kind }) => [same, kind]), [command, undefined]);
  }
});
