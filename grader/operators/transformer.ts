import { isObject, type JsonValue } from "../../proxy/record/json.ts";

/** Turns a value into the one that is compared; undefined when it has none, and then nothing holds for it. */
export interface Transformer {
  /** As written behind the pipe. */
  readonly name: string;
  /** One sentence for the reference in docs/markers.md. */
  readonly summary: string;
  apply(value: JsonValue): JsonValue | undefined;
  /** Applied to the argument as well: both sides of `|str` are text. */
  readonly alsoArgument: boolean;
}

/** `str`: numbers and booleans as the text JSON writes for them (all digits of big integers). */
export const str: Transformer = {
  name: "str",
  summary: 'Compare as text: 5 is "5".',
  alsoArgument: true,
  apply(value: JsonValue): JsonValue | undefined {
    if (typeof value === "string") return value;
    return typeof value === "object" ? undefined : String(value);
  },
};

/** `num`: text that is wholly a decimal number, as that number (integers exactly); numbers as they are. */
const num: Transformer = {
  name: "num",
  summary: 'Compare as number: "5" is 5.',
  alsoArgument: true,
  apply(value: JsonValue): JsonValue | undefined {
    if (typeof value === "number" || typeof value === "bigint") return value;
    if (typeof value !== "string" || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)) return undefined;
    const number = Number(value);
    if (Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(value)) return Number.isFinite(number) ? number : undefined;
    return BigInt(value.replace(/^\+/, ""));
  },
};

/** `size`: how many elements a list, keys an object, or characters (code points) a text has. */
const size: Transformer = {
  name: "size",
  summary: "Compare the length of a list, a text or a map.",
  alsoArgument: false,
  apply(value: JsonValue): JsonValue | undefined {
    if (Array.isArray(value)) return value.length;
    if (typeof value === "string") return [...value].length;
    return isObject(value) ? Object.keys(value).length : undefined;
  },
};

export const TRANSFORMERS: readonly Transformer[] = [str, num, size];
