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
  /**
   * Id to its slot in the ring, which holds ids and times in the order they came. Asking a Map for its oldest key costs
   * as much as keys were deleted before it, which made long logs slower and slower.
   */
  readonly #slots = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #times: number[] = [];
  #next = 0;
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
    const slot = this.#slots.get(key);
    const known = slot === undefined ? undefined : this.#times[slot];
    if (known !== undefined && !(this.#clock - known > this.#dedupeMs)) return true;
    this.#remember(key);
    return false;
  }

  #remember(key: string): void {
    const slot = this.#next;
    const oldest = this.#ids[slot];
    // An id that was forgotten and came again stands in a later slot by now.
    if (oldest !== undefined && this.#slots.get(oldest) === slot) this.#slots.delete(oldest);
    this.#ids[slot] = key;
    this.#times[slot] = this.#clock;
    this.#slots.set(key, slot);
    this.#next = (slot + 1) % MOST_IDS;
  }
}
