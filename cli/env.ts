import { join } from "node:path";
import { openAuthority } from "../certs/authority.ts";
import { writeBundle } from "../certs/bundle.ts";
import { renderVariables, SHELLS, type Shell } from "../certs/trust.ts";
import { programVariables } from "../proxy/launch/index.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { announceAuthority } from "./authority-news.ts";
import { wholeNumber } from "./quantities.ts";
import { tokenOf } from "./run-credentials.ts";
import { RUN_PLACES } from "./runs-options.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const env: Verb = {
  name: "env",
  usage: "env [--shell SHELL] [--port PORT] [--run RUN]",
  describe:
    'Prints the exports that point a shell\'s programs at the proxy and its CA. Use it as: eval "$(waymark env)"',
  options: {
    shell: { kind: "text", value: "SHELL", describe: SHELLS.join(", "), defaultText: "this shell" },
    port: { kind: "text", value: "PORT", describe: "the proxy's port", defaultText: "8899" },
    listen: { kind: "text", value: "ADDRESS", describe: "the proxy's address", defaultText: "127.0.0.1" },
    run: { kind: "text", value: "RUN", describe: "id of a run; its events are then written as this run's" },
    dir: RUN_PLACES.dir,
  },
  maxPositionals: 0,
  examples: [
    ['eval "$(waymark env)"', "bash, zsh"],
    ['eval "$(waymark env --run 01K6Z)"', "several apps at once beside one proxy, each with its own run"],
    ["waymark env --shell fish | source", "fish"],
    ["waymark env --shell pwsh | Out-String | Invoke-Expression", "PowerShell"],
  ],
  async run(args, terminal) {
    const shell = shellNamed(args.text("shell") ?? ownShell(terminal));
    const port = wholeNumber("port", args.text("port") ?? "8899", { min: 1, max: 65_535 });
    const address = args.text("listen") ?? "127.0.0.1";
    const { authority, event } = await openAuthority();
    announceAuthority(authority, event, terminal);
    const variables = programVariables({
      proxyUrl: `http://${credentials(args)}${address.includes(":") ? `[${address}]` : address}:${port}`,
      certFile: authority.certFile,
      bundleFile: writeBundle(authority),
      base: terminal.env,
    });
    if (args.flag("json")) terminal.out(`${JSON.stringify(Object.fromEntries(variables))}\n`);
    else terminal.out(renderVariables(variables, shell));
    return 0;
  },
};

/** A run's id as user name; the proxy asks for no password. */
function credentials(args: Arguments): string {
  const run = args.text("run");
  return run === undefined ? "" : `${tokenOf(join(args.text("dir") ?? ".waymark", "runs"), run)}:@`;
}

function shellNamed(name: string): Shell {
  const known = SHELLS.find((shell) => shell === name);
  if (known !== undefined) return known;
  throw waymarkError("WM_USAGE", `waymark env does not know the shell "${name}"${didYouMean(name, SHELLS)}`, {
    fix: `Known: ${SHELLS.join(", ")}.`,
  });
}

/** The shell that called us, as far as the environment tells; bash elsewhere, whose syntax most shells read. */
function ownShell(terminal: Terminal): string {
  const program = terminal.env["SHELL"]?.split("/").at(-1) ?? "";
  if ((SHELLS as readonly string[]).includes(program)) return program;
  return process.platform === "win32" ? "pwsh" : "bash";
}
