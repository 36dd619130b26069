import { openAuthority } from "../certs/authority.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { announceAuthority } from "./authority-news.ts";
import { showAuthority } from "./ca-show.ts";
import { rotate, trust, untrust } from "./ca-trust.ts";
import { YES_OPTION } from "./confirm.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

const ACTIONS = ["show", "path", "trust", "untrust", "rotate"] as const;

export const ca: Verb = {
  name: "ca",
  usage: "ca show|path|trust|untrust|rotate [options]",
  describe:
    "This user's certificate authority: `show` it, print its `path`, put it into this machine's own trust stores (`trust`; `untrust` takes it out again), make another (`rotate`). waymark run, open and env need no trust store: they set the environment of what they start.",
  options: {
    store: {
      kind: "list",
      value: "ID",
      describe: "trust, untrust: only this store; `waymark ca show` lists them",
      defaultText: "all there are",
    },
    "dry-run": { kind: "flag", describe: "print what would be run, and run nothing" },
    yes: YES_OPTION,
  },
  maxPositionals: 1,
  examples: [
    ["waymark ca trust", "says what it will run, asks, and can be undone"],
    ["waymark ca untrust", "takes it out of every store it was put into"],
    ["curl --cacert $(waymark ca path) https://localhost:8443", "for one program"],
  ],
  async run(args, terminal) {
    const [word = "show"] = args.positionals;
    const action = ACTIONS.find((known) => known === word);
    if (action === undefined) {
      throw waymarkError("WM_USAGE", `waymark ca has no "${word}"${didYouMean(word, ACTIONS)}`, {
        fix: "Use it as `waymark ca show|path|trust|untrust|rotate`.",
      });
    }
    return perform(action, args, terminal);
  },
};

async function perform(action: (typeof ACTIONS)[number], args: Arguments, terminal: Terminal): Promise<number> {
  const { authority, event } = await openAuthority();
  announceAuthority(authority, event, terminal);
  const order = { authority, args, terminal };
  switch (action) {
    case "path":
      terminal.out(`${args.flag("json") ? JSON.stringify({ path: authority.certFile }) : authority.certFile}\n`);
      return 0;
    case "show":
      return showAuthority(order);
    case "trust":
      return trust(order);
    case "untrust":
      return untrust(order);
    case "rotate":
      return rotate(order);
  }
}
