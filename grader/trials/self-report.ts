import { closeSync, openSync, readSync, statSync } from "node:fs";
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { type Claim, claimOf, firstSentence, isClaimWord } from "./self-report-claims.ts";
import type { SelfReport } from "./trial.ts";

/** Most bytes of a self-report that are read. */
export const SELF_REPORT_BYTES = 65_536;
const MAX_CLAIM = 80;
const MAX_TEXT = 2000;

/**
 * Reads what an agent says of its own run: JSON (`{"claim": "done"}`, `{"success": true}`, `{"status": "failed"}`) or plain
 * text whose first sentence is the claim. Undefined when there is no file, or nothing in it. Never throws: a report that
 * cannot be read claims nothing and says why. Control characters and bytes that are no text never come out. The report
 * is shown beside the grade and decides nothing.
 */
export function readSelfReport(file: string): SelfReport | undefined {
  const read = contentOf(file);
  if (read === undefined) return undefined;
  return typeof read === "string" ? { claim: "unreadable", text: read } : parseSelfReport(decode(read));
}

/** The self-report in a text; see `readSelfReport`. */
export function parseSelfReport(text: string): SelfReport | undefined {
  if (clean(text) === "") return undefined;
  const value = jsonOf(text);
  return value === undefined ? fromText(text) : fromJson(value);
}

function contentOf(file: string): Buffer | string | undefined {
  let descriptor: number | undefined;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (!stats.isFile()) return "it is no file"; // a pipe would be waited for without end
    descriptor = openSync(file, "r");
    const bytes = Buffer.alloc(SELF_REPORT_BYTES);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch (cause) {
    return clean(cause instanceof Error ? cause.message : String(cause));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** UTF-8, or UTF-16 with its mark, which is what `>` writes in older PowerShells. */
function decode(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString("hex");
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // plain text, or JSON that was cut: its words are shown as they stand
  }
}

const CLAIM_KEYS = ["claim", "status", "outcome", "result"] as const;
const FLAG_KEYS = ["success", "done", "completed", "passed"] as const;
const TEXT_KEYS = ["text", "message", "summary", "reason", "note", "explanation"] as const;

function fromJson(value: JsonValue): SelfReport | undefined {
  if (value === null) return undefined;
  if (typeof value === "boolean") return report(wordFor(value), claimFor(value));
  if (typeof value === "string") return fromText(value);
  return isObject(value) ? fromObject(value) : report("unclear", undefined, stringifyJson(value));
}

function fromObject(value: JsonObject): SelfReport {
  const word = firstText(value, [...CLAIM_KEYS, ...FLAG_KEYS]);
  const text = firstText(value, TEXT_KEYS);
  const flag = firstFlag(value, [...FLAG_KEYS, ...CLAIM_KEYS]);
  const claimed = word === undefined ? undefined : sentenceClaim(word);
  if (flag === undefined) {
    return word === undefined
      ? report("unclear", undefined, text ?? stringifyJson(value))
      : report(word, claimed, text);
  }
  if (word === undefined || claimed === undefined) return report(wordFor(flag), claimFor(flag), text ?? word);
  const isTorn = claimed !== "neither" && claimed !== claimFor(flag);
  return report(word, isTorn ? "neither" : claimed, text);
}

function wordFor(flag: boolean): string {
  return flag ? "done" : "failed";
}

function claimFor(flag: boolean): Claim {
  return flag ? "success" : "failure";
}

function firstText(value: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const own = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof own === "string" && clean(own) !== "") return own;
  }
  return undefined;
}

function firstFlag(value: JsonObject, keys: readonly string[]): boolean | undefined {
  const key = keys.find((one) => Object.hasOwn(value, one) && typeof value[one] === "boolean");
  return key === undefined ? undefined : value[key] === true;
}

function fromText(text: string): SelfReport {
  const { sentence } = firstSentence(text);
  return report(sentence === "" ? "unclear" : sentence, sentenceClaim(text), text);
}

function sentenceClaim(text: string): Claim | undefined {
  const { sentence, isOpen } = firstSentence(text);
  return isOpen ? "neither" : claimOf(sentence);
}

function report(claim: string, claimed: Claim | undefined, text?: string): SelfReport {
  const own = clean(claim).slice(0, MAX_CLAIM);
  const word = wordOf(own, claimed);
  const shown = clean(text ?? own).slice(0, MAX_TEXT);
  return {
    claim: word,
    ...(claimed === "success" || claimed === "failure" ? { claims_success: claimed === "success" } : {}),
    ...(shown === "" || shown.toLowerCase() === word.toLowerCase() ? {} : { text: shown }),
  };
}

/** A word of the table as it stands; a sentence that claims by what it claims; anything else as it stands. */
function wordOf(own: string, claimed: Claim | undefined): string {
  if (claimed === undefined) return own === "" ? "unclear" : own;
  if (isClaimWord(own.toLowerCase())) return own.toLowerCase();
  return { success: "done", failure: "failed", neither: "unsure" }[claimed];
}

/** Text without what could steer a terminal or hide: control and format characters, lone surrogates. */
function clean(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
      character === "\n" || character === "\t" ? character : "",
    )
    .trim();
}
