import type { Terminal } from "./terminal.ts";

/** What the programs that run agents set for the commands they start. */
export const AGENT_VARIABLES = [
  "AI_AGENT",
  "CLAUDECODE",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "CODEX_SANDBOX",
  "CODEX_THREAD_ID",
  "OPENCODE",
  "AUGMENT_AGENT",
  "GOOSE_TERMINAL",
] as const;

/**
 * The reporters for a command line that names none: `agent` when an AI agent reads it, at a terminal or through a pipe;
 * else `pretty` on a terminal and `plain` elsewhere; on GitHub Actions `github` as well. Decides how results are worded,
 * never a verdict or an exit code.
 */
export function guessReporters({ outIsTerminal, env }: Pick<Terminal, "outIsTerminal" | "env">): readonly string[] {
  const isAgent = AGENT_VARIABLES.some((name) => (env[name] ?? "") !== "");
  const main = isAgent ? "agent" : outIsTerminal ? "pretty" : "plain";
  return env["GITHUB_ACTIONS"] === "true" ? [main, "github"] : [main];
}
