import { asText } from "../grader/report/text.ts";
import { exampleScenario, SCENARIO_FILE } from "./init-example.ts";
import { guessProject, type Project } from "./init-guess.ts";
import { ask } from "./init-questions.ts";
import { configText, IGNORED, WORKFLOW_FILE, workflowText } from "./init-texts.ts";
import { appendLines, type Written, writeNew } from "./init-write.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const init: Verb = {
  name: "init",
  usage: "init [options]",
  describe:
    "Starts a project in this folder: waymark.config.yaml, an example scenario in markers/, lines in .gitignore, and on request a GitHub workflow. Asks at most three questions, none without a terminal or with -y; never overwrites a file.",
  options: {
    yes: { kind: "flag", alias: "y", describe: "take the guesses, ask nothing" },
    command: { kind: "text", value: "CMD", describe: "what starts your app or agent", defaultText: "guessed" },
    host: { kind: "list", value: "PATTERN", describe: "a host that carries telemetry, besides the known ones" },
    ci: { kind: "flag", describe: "write a GitHub workflow", defaultText: "asked; false without a terminal" },
  },
  maxPositionals: 0,
  ignoresConfig: true,
  examples: [
    ["waymark init", "in the folder of your app"],
    ["waymark init -y --ci --host events.example.com", "without a question"],
  ],
  async run(args, terminal) {
    const project = await settle(args, terminal);
    const written = write(project);
    const next = nextCommands(project);
    if (args.flag("json")) {
      terminal.out(
        `${JSON.stringify({ schema: "waymark.init/1", project, files: written, next: next.map(([words]) => words) })}\n`,
      );
      return 0;
    }
    if (!args.flag("quiet")) terminal.out(pageOf(written, next));
    return 0;
  },
};

/** What the command line says, else what is answered, else what is guessed. */
async function settle(args: Arguments, terminal: Terminal): Promise<Project> {
  const guess = guessProject(process.cwd());
  const command = args.text("command");
  const said = {
    ...(command === undefined ? {} : { command }),
    ...(args.isGiven("host") ? { hosts: args.list("host") } : {}),
    ...(args.flag("ci") === undefined ? {} : { ci: args.flag("ci") === true }),
  };
  const mayAsk = args.flag("yes") !== true && args.flag("json") !== true && isTalking(terminal);
  return mayAsk ? ask(guess, said, terminal) : { ...guess, ci: false, ...said };
}

/** Only a person at a terminal is asked; a job that waits for an answer waits for ever. */
function isTalking({ outIsTerminal, env }: Terminal): boolean {
  return process.stdin.isTTY === true && outIsTerminal && (env["CI"] ?? "") === "";
}

function write(project: Project): readonly Written[] {
  return [
    writeNew("waymark.config.yaml", configText(project)),
    writeNew(SCENARIO_FILE, exampleScenario()),
    appendLines(".gitignore", IGNORED),
    ...(project.ci ? [writeNew(WORKFLOW_FILE, workflowText(project))] : []),
  ];
}

type Next = readonly (readonly [words: string, says: string])[];

function nextCommands({ command }: Project): Next {
  const own = command ?? "node agent.js";
  return [
    [`waymark doctor --app -- ${own}`, "is its telemetry seen, host by host?"],
    [`waymark run -n 3 --label good -s example -- ${own}`, "do the task well, three times"],
    ["waymark learn label:good -o markers/mine.yaml", "a scenario from what was seen"],
  ];
}

const SIGNS = { written: "✓", extended: "✓", kept: "○" } as const;
const WORDS = { written: "written", extended: "lines added", kept: "is there already, left as it is" } as const;

function pageOf(written: readonly Written[], next: Next): string {
  const width = Math.max(...written.map(({ file }) => file.length));
  const files = written.map(({ file, what }) => `${SIGNS[what]} ${file.padEnd(width)}  ${WORDS[what]}\n`);
  const wide = Math.max(...next.map(([words]) => words.length));
  const lines = next.map(([words, says]) => `  npx ${asText(words).padEnd(wide)}   ${says}\n`);
  return `${files.join("")}\nnext\n${lines.join("")}`;
}
