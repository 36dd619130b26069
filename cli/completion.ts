import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { SHELLS } from "./completion-scripts.ts";
import type { Verb } from "./verb.ts";

export const completion: Verb = {
  name: "completion",
  usage: "completion bash|zsh|fish|pwsh",
  describe:
    "Prints a script by which the shell completes verbs, options, scenario names, and runs with their labels. The script asks waymark, so it never grows old.",
  options: {},
  ignoresConfig: true,
  examples: [
    ['eval "$(waymark completion bash)"', "in ~/.bashrc"],
    ['eval "$(waymark completion zsh)"', "in ~/.zshrc, after compinit"],
    ["waymark completion fish | source", "in ~/.config/fish/config.fish"],
    ["waymark completion pwsh | Out-String | Invoke-Expression", "in $PROFILE"],
  ],
  async run(args, terminal) {
    const [shell = "", ...words] = args.positionals;
    // What the scripts call: `--` would end the options of this very command, so the words come behind it.
    if (shell === "words") {
      const { completionsFor } = await import("./completion-words.ts");
      for (const word of await completionsFor([...words, ...args.command], terminal.env)) terminal.out(`${word}\n`);
      return 0;
    }
    const script = SHELLS[shell];
    if (script === undefined || words.length > 0) {
      const known = Object.keys(SHELLS);
      const asked = shell === "" ? "needs a shell" : `knows no shell "${shell}"${didYouMean(shell, known)}`;
      throw waymarkError("WM_USAGE", `waymark completion ${asked}`, { fix: `Known: ${known.join(", ")}.` });
    }
    terminal.out(script);
    return 0;
  },
  takesCommand: true,
};
