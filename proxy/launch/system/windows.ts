import type { Command, RunCommand } from "./command-runner.ts";
import type { SystemProxy } from "./system-proxy.ts";

const KEY = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings";
const VALUES = ["ProxyServer", "ProxyOverride", "AutoConfigURL", "ProxyEnable"] as const;

/** Programs that run look again only when WinINet tells them (INTERNET_OPTION_SETTINGS_CHANGED, INTERNET_OPTION_REFRESH). */
const TELL = [
  "$t = Add-Type -PassThru -Name WinInet -Namespace Waymark -MemberDefinition",
  `'[DllImport("wininet.dll")] public static extern bool InternetSetOption(IntPtr h, int o, IntPtr b, int l);';`,
  "[void]$t::InternetSetOption(0, 39, 0, 0); [void]$t::InternetSetOption(0, 37, 0, 0)",
].join(" ");
const TELL_PROGRAMS: Command = ["powershell", "-NoProfile", "-NonInteractive", "-Command", TELL];

/** This user's Internet settings, which Edge, Chrome, .NET and what else asks WinINet follow. */
export const windowsProxy: SystemProxy = {
  what: "this user's Windows proxy settings (registry)",
  async plan(run, { host, port }) {
    const before = await Promise.all(VALUES.map((name) => registryValue(run, name)));
    const restore = VALUES.map((name, index): Command => {
      const was = before[index];
      return was === undefined ? ["reg", "delete", KEY, "/v", name, "/f"] : put(name, was.type, was.data);
    });
    const given = before[VALUES.indexOf("AutoConfigURL")];
    return {
      set: [
        put("ProxyServer", "REG_SZ", `${host}:${port}`),
        put("ProxyOverride", "REG_SZ", "<-loopback>"), // an inherited list would hide traffic, loopback is left out by default
        ...(given === undefined ? [] : [["reg", "delete", KEY, "/v", "AutoConfigURL", "/f"]]), // it would win
        put("ProxyEnable", "REG_DWORD", "1"),
        TELL_PROGRAMS,
      ],
      restore: [...restore, TELL_PROGRAMS],
    };
  },
  async isSet(run, { host, port }) {
    const [server, enable] = await Promise.all([registryValue(run, "ProxyServer"), registryValue(run, "ProxyEnable")]);
    return server?.data === `${host}:${port}` && Number(enable?.data) === 1;
  },
};

function put(name: string, type: string, data: string): Command {
  return ["reg", "add", KEY, "/v", name, "/t", type, "/d", data, "/f"];
}

/** A value, or undefined when it is not set (`reg` then ends with 1). */
async function registryValue(run: RunCommand, name: string): Promise<{ type: string; data: string } | undefined> {
  const text = await run(["reg", "query", KEY, "/v", name]).catch(() => "");
  const [, type, data = ""] =
    new RegExp(`^\\s+${name}\\s+(REG_\\w+)\\s*(.*)$`, "m").exec(text.replaceAll("\r", "")) ?? [];
  return type === undefined ? undefined : { type, data: data.trim() };
}
