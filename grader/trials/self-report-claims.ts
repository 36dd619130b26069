/** What a word of a self-report claims: that the task is done, that it is not, or neither. */
export type Claim = "success" | "failure" | "neither";

/** The words an agent may claim with, as they stand after `claimOf` has taken the subject and the helping verbs away. */
export const CLAIM_WORDS: Readonly<Record<Claim, readonly string[]>> = {
  success: [
    ...[
      "accomplished",
      "achieved",
      "complete",
      "completed",
      "done",
      "finish",
      "finished",
      "ok",
      "okay",
      "pass",
      "passed",
    ],
    ...["resolved", "solved", "succeed", "succeeded", "success", "successful", "true", "yes"],
  ],
  failure: [
    ...[
      "abort",
      "aborted",
      "blocked",
      "canceled",
      "cancelled",
      "error",
      "errored",
      "fail",
      "failed",
      "failure",
      "false",
    ],
    ...["gave up", "give up", "given up", "giving up", "impossible", "incomplete", "infeasible", "no", "stuck"],
    ...["timed out", "timeout", "unable", "unfinished", "unsuccessful"],
  ],
  neither: [
    ...["in progress", "maybe", "not applicable", "not sure", "partial", "partially", "partly", "pending", "running"],
    ...["skipped", "uncertain", "unclear", "unknown", "unsure"],
  ],
};

const CLAIMS: ReadonlyMap<string, Claim> = new Map(
  (Object.keys(CLAIM_WORDS) as Claim[]).flatMap((claim) => CLAIM_WORDS[claim].map((word) => [word, claim] as const)),
);

/** True for a word (or two) that stands in the table. */
export function isClaimWord(text: string): boolean {
  return CLAIMS.has(text);
}

/** Taken from the front: who is spoken of, and helping verbs. */
const FRONT =
  /^(?:the|this|my|task|tasks|goal|job|work|run|everything|all|it|it's|i|i'm|i've|we|agent|status|result|is|are|was|were|has|have|had|been|am|be|now|and|successfully)$/;
/** Taken from the end. */
const END = /^(?:successfully|it|now|task|job|work|goal|the|this|my|everything)$/;

/** What qualifies a claim of success behind a comma or dash. */
const QUALIFIES =
  /\b(?:although|but|cannot|could|error\w*|except|fail\w*|however|miss\w*|no|not|only|part\w*|remain\w*|though|todo|unable|without)\b|n't\b/;

/**
 * What a sentence claims; undefined when the table does not have it. `Done`, `I have finished the task` and `all completed
 * successfully` claim success; `not` before a word of success claims failure. What stands behind a comma, colon or dash
 * explains a failure, and must not qualify a success. Nothing is guessed from a word in the middle of others: `done with two
 * errors` claims nothing.
 */
export function claimOf(sentence: string): Claim | undefined {
  const plain = sentence.toLowerCase().replaceAll("\u2019", "'");
  const claim = claimOfWords(plain);
  const pause = /[,:\u2014\u2013]|\s-+\s/.exec(plain);
  if (claim !== undefined || pause === null) return claim;
  const first = claimOfWords(plain.slice(0, pause.index));
  return first === "success" && QUALIFIES.test(plain.slice(pause.index)) ? "neither" : first;
}

function claimOfWords(text: string): Claim | undefined {
  const words = text.split(/[^\p{L}']+/u).filter((word) => word !== "");
  const whole = CLAIMS.get(words.join(" "));
  if (whole !== undefined) return whole;
  while (words.length > 1 && FRONT.test(words[0] ?? "")) words.shift();
  while (words.length > 1 && END.test(words.at(-1) ?? "")) words.pop();
  const known = CLAIMS.get(words.join(" "));
  if (known !== undefined) return known;
  if (words[0] !== "not" && words[0] !== "never") return undefined;
  const rest = words.slice(1).filter((word) => !FRONT.test(word));
  const denied = CLAIMS.get(rest.join(" "));
  return denied === "success" ? "failure" : denied === undefined ? undefined : "neither";
}

/**
 * The sentence a text begins with, up to the first mark that ends one, and whether that mark leaves it open (`done?`). A
 * field name in front (`status: done`) is no part of it.
 */
export function firstSentence(text: string): { readonly sentence: string; readonly isOpen: boolean } {
  const [line = ""] = text.trim().split(/\r\n|\n|\r/);
  const bare = line
    .replace(/^(?:[\s>*#"'`]|\p{So}|\p{Sk}|\p{Mn})+/u, "")
    .replace(/^(?:claim|status|outcome|result|verdict|success)\s*[:=]\s*/i, "");
  const end = /[.!?;](?=\s|$)/u.exec(bare);
  const sentence = bare.slice(0, end?.index ?? bare.length).trim();
  return { sentence, isOpen: end?.[0] === "?" };
}
