import type { Command } from "./command-runner.ts";
import type { SystemProxy } from "./system-proxy.ts";

const BASE = "org.gnome.system.proxy";

/** Everything that is changed; each value is read first, as the text that `gsettings set` takes back. */
const KEYS = [
  [BASE, "ignore-hosts"],
  [`${BASE}.http`, "host"],
  [`${BASE}.http`, "port"],
  [`${BASE}.https`, "host"],
  [`${BASE}.https`, "port"],
  [BASE, "mode"], // last: what `manual` means is set before it
] as const;

/** GNOME's settings, which Chromium, GLib's programs and others follow on desktops that have them (Cinnamon, Unity and Budgie too). */
export const gnomeProxy: SystemProxy = {
  what: "GNOME's proxy settings (gsettings)",
  async plan(run, { host, port }) {
    const before = await Promise.all(KEYS.map(([schema, key]) => run(["gsettings", "get", schema, key])));
    const set = (schema: string, key: string, value: string): Command => ["gsettings", "set", schema, key, value];
    const restore = KEYS.map(([schema, key], index) => set(schema, key, (before[index] ?? "").trim()));
    const values: Readonly<Record<string, string>> = {
      "ignore-hosts": "[]",
      host: `'${host}'`,
      port: String(port),
      mode: "'manual'",
    };
    // an inherited list of hosts that go past the proxy would hide traffic
    return { set: KEYS.map(([schema, key]) => set(schema, key, values[key] ?? "''")), restore: restore.reverse() };
  },
  async isSet(run, { host, port }) {
    const of = async (schema: string, key: string): Promise<string> =>
      (await run(["gsettings", "get", schema, key])).trim();
    const [mode, named, at] = await Promise.all([
      of(BASE, "mode"),
      of(`${BASE}.https`, "host"),
      of(`${BASE}.https`, "port"),
    ]);
    return mode === "'manual'" && named === `'${host}'` && at === String(port);
  },
};
