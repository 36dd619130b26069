import { createInterface } from "node:readline/promises";
import { asText } from "../grader/report/text.ts";
import type { Project } from "./init-guess.ts";
import type { Terminal } from "./terminal.ts";

/** Asks what is not said yet, a line each, at most three; an empty answer takes the guess. */
export async function ask(guess: Project, said: Partial<Project>, terminal: Terminal): Promise<Project> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-D and Ctrl-C end the questions; what is guessed stands for the rest.
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  const question = async (text: string): Promise<string> => {
    try {
      return (await lines.question(`${text} `, { signal: ended.signal })).trim();
    } catch {
      return "";
    }
  };
  try {
    if (guess.found.length > 0) terminal.out(`found: ${guess.found.map(asText).join(", ")}\n`);
    const command = said.command ?? ((await question(commandQuestion(guess))) || guess.command);
    const hosts =
      said.hosts ?? wordsOf(await question("Which hosts carry its telemetry, besides the known ones? [none]"));
    const ci =
      said.ci ??
      /^(?:y|yes)$/i.test(
        (await question(`A GitHub workflow that runs it? [${guess.ci ? "Y/n" : "y/N"}]`)) || (guess.ci ? "y" : "n"),
      );
    return { found: guess.found, hosts, ci, ...(command === undefined ? {} : { command }) };
  } finally {
    lines.close();
  }
}

function commandQuestion({ command }: Project): string {
  return `What starts your app or agent?${command === undefined ? " (empty: say it later)" : ` [${command}]`}`;
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "" && word !== "none");
}
