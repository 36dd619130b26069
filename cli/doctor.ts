import { paintFor } from "../grader/report/paint.ts";
import { asText } from "../grader/report/text.ts";
import type { Check } from "./doctor-check.ts";
import { checkSign } from "./host-table.ts";
import { FORMAT_OPTIONS } from "./own-formats.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

const PORTS = [8899, 5053];

export const doctor: Verb = {
  name: "doctor",
  usage: "doctor [--fix] | doctor --app [options] -- CMD",
  describe:
    "Checks what waymark needs, one line per check. With --app it starts a command under the proxy and says host by host what was seen, decrypted, refused, bypassed or undecoded, and what to do.",
  options: {
    fix: { kind: "flag", describe: "mend what can be mended safely" },
    app: { kind: "flag", describe: "look at the command behind --" },
    timeout: { kind: "text", value: "DURATION", describe: "--app: end the command after this", defaultText: "60s" },
    bypass: { kind: "list", value: "PATTERN", describe: "--app: never open this host" },
    sink: { kind: "flag", describe: "--app: answer the SDKs; nothing leaves this machine" },
    map: { kind: "list", value: "HOST=HOST:PORT", describe: "--app: send a host's traffic elsewhere" },
    "upstream-ca": { kind: "text", value: "FILE", describe: "--app: PEM certificates trusted upstream" },
    ...FORMAT_OPTIONS,
  },
  maxPositionals: 0,
  ignoresConfig: "when broken",
  takesCommand: true,
  examples: [
    ["waymark doctor", "before the first run, and when something is odd"],
    ["waymark doctor --app -- node agent.js", "which hosts it talks to, and whether they can be read"],
  ],
  async run(args, terminal) {
    if (args.flag("app") || args.command.length > 0) return (await import("./doctor-app.ts")).doctorApp(args, terminal);
    const { runChecks } = await import("./doctor-checks.ts");
    const look = () =>
      runChecks({
        env: terminal.env,
        now: Date.now(),
        ports: PORTS,
        config: args.text("config"),
        profile: args.text("profile"),
      });
    const found = await look();
    const mended = args.flag("fix") ? await mend(found, terminal) : 0;
    return report(mended > 0 ? await look() : found, args, terminal);
  },
};

async function mend(checks: readonly Check[], terminal: Terminal): Promise<number> {
  let mended = 0;
  for (const { mend: act, name } of checks) {
    if (act === undefined) continue;
    try {
      terminal.err(`${asText(await act())}\n`);
      mended++;
    } catch (cause) {
      terminal.err(`${name} could not be mended: ${asText(cause instanceof Error ? cause.message : String(cause))}\n`);
    }
  }
  return mended;
}

function report(checks: readonly Check[], args: Arguments, terminal: Terminal): number {
  const ok = checks.every(({ level }) => level !== "bad");
  if (args.flag("json")) {
    const rows = checks.map(({ name, level, says, fix }) => ({
      name,
      level,
      says,
      ...(fix === undefined ? {} : { fix }),
    }));
    terminal.out(`${JSON.stringify({ schema: "waymark.doctor/1", ok, checks: rows })}\n`);
    return ok ? 0 : 1;
  }
  const paint = paintFor(terminal.colour);
  for (const { level, says, fix } of checks) {
    if (args.flag("quiet") && level === "good") continue;
    const advice = fix === undefined ? "" : `    → ${fix}\n`;
    terminal.out(`${checkSign(level, paint)} ${asText(says)}\n${advice}`);
  }
  return ok ? 0 : 1;
}
