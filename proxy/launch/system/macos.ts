import type { Command, RunCommand } from "./command-runner.ts";
import type { SystemPlan, SystemProxy } from "./system-proxy.ts";

/** The two kinds of traffic, as `networksetup` names them. */
const KINDS = ["web", "secureweb"] as const;

/** The proxies of every network service that is on, which Safari, Chrome and what else asks macOS follow. */
export const macosProxy: SystemProxy = {
  what: "the proxies of macOS's network services (networksetup)",
  async plan(run, place) {
    const plans = await Promise.all((await services(run)).map((service) => planFor(run, service, place)));
    return { set: plans.flatMap(({ set }) => set), restore: plans.flatMap(({ restore }) => restore) };
  },
  async isSet(run, { host, port }) {
    const found = await Promise.all((await services(run)).map((service) => proxyOf(run, "secureweb", service)));
    return found.some((one) => one.isOn && one.host === host && one.port === String(port));
  },
};

async function planFor(
  run: RunCommand,
  service: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<SystemPlan> {
  const [web, secure, bypass] = await Promise.all([
    proxyOf(run, "web", service),
    proxyOf(run, "secureweb", service),
    run(["networksetup", "-getproxybypassdomains", service]),
  ]);
  const domains = bypass
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^\S+$/.test(line));
  const before = { web, secureweb: secure };
  const restore = KINDS.flatMap((kind): Command[] => {
    const { host: was, port: at, isOn } = before[kind];
    const state: Command = ["networksetup", `-set${kind}proxystate`, service, isOn ? "on" : "off"];
    return was === "" ? [state] : [["networksetup", `-set${kind}proxy`, service, was, at], state];
  });
  return {
    set: [
      ["networksetup", "-setproxybypassdomains", service, "Empty"],
      ...KINDS.map((kind): Command => ["networksetup", `-set${kind}proxy`, service, host, String(port)]),
    ],
    restore: [
      ...restore,
      ["networksetup", "-setproxybypassdomains", service, ...(domains.length > 0 ? domains : ["Empty"])],
    ],
  };
}

/** Names of the services that are on; the first line explains that a star marks one that is off. */
async function services(run: RunCommand): Promise<string[]> {
  const lines = (await run(["networksetup", "-listallnetworkservices"])).split("\n").slice(1);
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("*"));
}

async function proxyOf(run: RunCommand, kind: (typeof KINDS)[number], service: string) {
  const text = await run(["networksetup", `-get${kind}proxy`, service]);
  const field = (name: string): string => new RegExp(`^${name}: *(.*)$`, "m").exec(text)?.[1]?.trim() ?? "";
  return { isOn: field("Enabled") === "Yes", host: field("Server"), port: field("Port") };
}
