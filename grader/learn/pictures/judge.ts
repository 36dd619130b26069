import { spawn } from "node:child_process";
import { waymarkError } from "../../../proxy/record/fault.ts";
import { isObject, parseJson } from "../../../proxy/record/json.ts";
import type { Open, Ruling } from "./looks.ts";

/** What a judge reads on its standard input, one JSON document. */
export interface JudgeQuestion {
  readonly schema: "waymark.judge/1";
  readonly question: "Do these two pictures show the same state of the app?";
  readonly a: { readonly file: string; readonly sha256: string };
  readonly b: { readonly file: string; readonly sha256: string };
  /** What the tiers measured. */
  readonly measured: Open["comparison"];
}

const PATIENCE_MS = 120_000;
const MOST_ANSWER = 100_000;

/**
 * Asks a command about each pair that the tiers left open: the question as JSON on its standard input, `{"same": true}` or
 * `{"same": false}`, with `why` if it likes, on its standard output. Throws `WM_LEARN_JUDGE` when it fails or answers
 * anything else, because to guess in its stead would be a verdict of nobody's.
 */
export async function askJudge(command: string, open: readonly Open[]): Promise<readonly Ruling[]> {
  const rulings: Ruling[] = [];
  for (const { a, b, comparison } of open) {
    const question: JudgeQuestion = {
      schema: "waymark.judge/1",
      question: "Do these two pictures show the same state of the app?",
      a: { file: a.file, sha256: a.digest },
      b: { file: b.file, sha256: b.digest },
      measured: comparison,
    };
    const answer = readAnswer(command, await run(command, JSON.stringify(question)));
    rulings.push({ pair: [a.digest, b.digest], ...answer, by: command, comparison });
  }
  return rulings;
}

function readAnswer(command: string, text: string): { same: boolean; why?: string } {
  try {
    const answer = parseJson(text);
    if (isObject(answer) && typeof answer["same"] === "boolean") {
      const why = answer["why"];
      return { same: answer["same"], ...(typeof why === "string" ? { why: why.slice(0, 500) } : {}) };
    }
  } catch {
    // told below, with what it said
  }
  throw waymarkError("WM_LEARN_JUDGE", `the judge "${command}" answered ${JSON.stringify(text.trim().slice(0, 120))}`);
}

function run(command: string, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"], timeout: PATIENCE_MS });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (said.length < MOST_ANSWER) said += text;
    });
    child.stdin.on("error", () => undefined); // it may answer without reading to the end
    child.on("error", (cause) => reject(failed(command, "could not be started", cause)));
    child.on("close", (code) =>
      code === 0 ? resolve(said) : reject(failed(command, `ended with ${code ?? "a signal"}`)),
    );
    child.stdin.end(`${input}\n`);
  });
}

function failed(command: string, how: string, cause?: unknown): Error {
  return waymarkError("WM_LEARN_JUDGE", `the judge "${command}" ${how}`, cause === undefined ? {} : { cause });
}
