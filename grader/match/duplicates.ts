import { isObject, type JsonObject } from "../../proxy/record/json.ts";
import { compilePath, type PathAccess } from "../operators/where.ts";
import type { EventProfile } from "../scenario/ast.ts";
import { rememberedKey } from "./keys.ts";

/** Most ids remembered (LANGUAGE.md section 6). */
const MOST_IDS = 100_000;

/** Tells events that were delivered before: `$capture.retry`, or an id seen within `dedupe`. */
export class Duplicates {
  readonly #isDropping: boolean;
  readonly #dedupeMs: number;
  readonly #id: PathAccess | undefined;
  /** Id to when it was last seen, oldest first. */
  readonly #seen = new Map<string, number>();
  #clock = Number.NEGATIVE_INFINITY;

  constructor(profile: EventProfile) {
    this.#isDropping = profile.retries === "drop";
    this.#dedupeMs = profile.dedupeMs;
    this.#id = profile.id === undefined ? undefined : compilePath(profile.id, profile.name);
  }

  /** True when the event is to be dropped. `at` is its time; without one, ids are remembered by number only. */
  isDuplicate(event: JsonObject, at: number | undefined): boolean {
    if (!this.#isDropping) return false;
    const capture = event["$capture"];
    if (isObject(capture) && capture["retry"] === true) return true;
    const id = this.#id?.get(event);
    return id === undefined || id === null ? false : this.#isKnown(rememberedKey(id), at);
  }

  #isKnown(key: string, at: number | undefined): boolean {
    this.#clock = Math.max(this.#clock, at ?? this.#clock);
    const known = this.#seen.get(key);
    const isKnown = known !== undefined && !(this.#clock - known > this.#dedupeMs);
    if (isKnown) return true;
    this.#seen.delete(key);
    this.#seen.set(key, this.#clock);
    if (this.#seen.size > MOST_IDS) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    return false;
  }
}
