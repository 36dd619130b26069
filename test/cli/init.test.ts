import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

test("init writes a project that check and config accept, names each file, and the next command", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "package.json"), '{"scripts":{"start":"node app.js"}}');
  const { code, stdout, stderr } = await waymark(["init", "--ci", "--host", "events.example.com"], { cwd });
  assert.equal(code, 0, stderr);
  const github = join(".github", "workflows", "waymark.yml");
  for (const file of ["waymark.config.yaml", join("markers", "example.yaml"), ".gitignore", github]) {
    assert.ok(stdout.includes(`✓ ${file}`), file);
    assert.ok(readFileSync(join(cwd, file), "utf8").length > 0);
  }
  assert.match(stdout, /next\n {2}npx waymark doctor --app -- npm start/);
  assert.match(readFileSync(join(cwd, "markers", "example.yaml"), "utf8"), /^# yaml-language-server: \$schema=/);
  assert.match(readFileSync(join(cwd, github), "utf8"), /npx waymark run --profile ci\n/);
  assert.equal((await waymark(["check", "--strict"], { cwd })).code, 0);
  const shown = await waymark(["config", "show", "run", "--profile", "ci"], { cwd });
  assert.match(shown.stdout, /host +events\.example\.com/);
  assert.match(shown.stdout, /command +npm start/);
});

test("init never overwrites: a second time all is left as it is, and .gitignore gets only what it lacks", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, ".gitignore"), "node_modules/\r\n/logs/");
  mkdirSync(join(cwd, "markers"));
  writeFileSync(join(cwd, "markers", "example.yaml"), "mine");
  const first = await waymark(["init", "-y"], { cwd });
  assert.match(first.stdout, /○ markers.example\.yaml +is there already, left as it is/);
  assert.equal(readFileSync(join(cwd, "markers", "example.yaml"), "utf8"), "mine");
  const ignored = readFileSync(join(cwd, ".gitignore"), "utf8");
  assert.match(ignored, /^node_modules\/\r\n\/logs\/\r\n\.waymark\/\r\n/);
  assert.equal(ignored.match(/logs\//g)?.length, 1);
  writeFileSync(join(cwd, "waymark.config.yaml"), "waymark: [");
  const again = await waymark(["init", "-y", "--json"], { cwd });
  const { files } = JSON.parse(again.stdout) as { files: readonly { readonly what: string }[] };
  assert.deepEqual([...new Set(files.map(({ what }) => what))], ["kept"]);
  assert.equal(readFileSync(join(cwd, "waymark.config.yaml"), "utf8"), "waymark: [");
});

test("what starts the app is guessed from what lies in the folder", async (t) => {
  for (const [file, text, command] of [
    ["agent.py", "", "python3 agent.py"],
    ["pytest.ini", "", "pytest"],
    ["package.json", '{"devDependencies":{"@playwright/test":"1"}}', "npx playwright test"],
    ["package.json", "{broken", "node agent.js"],
  ] as const) {
    const cwd = scratchFolder(t);
    writeFileSync(join(cwd, file), text);
    const { stdout } = await waymark(["init"], { cwd });
    assert.ok(stdout.includes(`doctor --app -- ${command}`), `${file}: ${stdout}`);
  }
});
