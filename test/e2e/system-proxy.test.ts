import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { needs } from "../support/launched-client.ts";
import { startProxy, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const SKIP =
  process.platform === "linux"
    ? needs("gsettings", "list-keys", "org.gnome.system.proxy")
    : { skip: "this test changes settings, which only GNOME's can do in a folder of their own" };

/** GNOME's settings in a file of the test's own: the real program, and nobody's real settings. */
function settingsIn(folder: string) {
  const env = {
    XDG_CONFIG_HOME: join(folder, "config"),
    GSETTINGS_BACKEND: "keyfile",
    WAYMARK_CA_DIR: join(folder, "ca"),
  };
  const call = (...args: string[]): string =>
    spawnSync("gsettings", args, { env: { ...process.env, ...env }, encoding: "utf8" }).stdout.trim();
  return {
    env,
    set: (schema: string, key: string, value: string) => call("set", schema, key, value),
    all: () =>
      ["org.gnome.system.proxy", "org.gnome.system.proxy.http", "org.gnome.system.proxy.https"].flatMap((schema) =>
        ["mode", "host", "port", "ignore-hosts"].map((key) => `${schema} ${key} ${call("get", schema, key)}`),
      ),
  };
}

test("--system sets GNOME's proxy and puts back what was set, at the end and after a crash", SKIP, async (t) => {
  const folder = scratchFolder(t);
  const settings = settingsIn(folder);
  settings.set("org.gnome.system.proxy", "mode", "auto");
  settings.set("org.gnome.system.proxy.https", "host", "corp.example");
  settings.set("org.gnome.system.proxy.https", "port", "3128");
  settings.set("org.gnome.system.proxy", "ignore-hosts", "['localhost', \"it's.example\"]");
  const before = settings.all();
  const options = { cwd: folder, env: settings.env };
  const start = async () => {
    const proxy = await startProxy(t, ["--system"], options);
    while (!settings.all().includes("org.gnome.system.proxy mode 'manual'")) assert.equal(proxy.child.exitCode, null);
    return proxy;
  };

  const first = await start();
  const now = settings.all();
  for (const kind of ["http", "https"]) {
    assert.ok(now.includes(`org.gnome.system.proxy.${kind} host '127.0.0.1'`));
    assert.ok(now.includes(`org.gnome.system.proxy.${kind} port ${first.port}`));
  }
  const second = await waymark(["proxy", "--system", "--port", "0", "--out", "other"], options);
  assert.match(second.stderr, /WM_PROXY_SYSTEM[\s\S]*process id/);
  assert.equal(second.code, 3);
  await first.stop();
  assert.deepEqual(settings.all(), before);

  const killed = await start();
  await killed.stop("SIGKILL");
  assert.ok(settings.all().includes("org.gnome.system.proxy mode 'manual'"), "nobody could put it back yet");
  const next = await startProxy(t, [], options);
  assert.deepEqual(settings.all(), before);
  assert.match((await next.stop()).stderr, /as they were before/);
  assert.equal(existsSync(join(folder, "ca", "system-proxy.json")), false);

  const again = await start();
  await again.stop("SIGKILL");
  settings.set("org.gnome.system.proxy", "mode", "none");
  const changed = settings.all();
  await (await startProxy(t, [], options)).stop();
  assert.deepEqual(settings.all(), changed, "what the user set since stays");
});
