import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { Bindings } from "../operators/where.ts";
import { Eldest } from "./eldest.ts";
import { bindingsKey, type Capture, capture } from "./keys.ts";
import { NO_BINDINGS, type Pattern } from "./pattern.ts";

/** What a rule remembers for one combination of captured values. */
export interface Instance<T> {
  readonly key: string;
  readonly bindings: Bindings;
  data: T;
}

/**
 * The instances of a rule, one per key, oldest first. An event finds those it concerns by its values where the pattern
 * says `field: $variable` for every captured value, and by trying each otherwise.
 */
export class Instances<T> {
  readonly #byKey = new Map<string, Instance<T>>();
  readonly #eldest = new Eldest(this.#byKey);
  readonly #captures: readonly Capture[];
  readonly #max: number;
  readonly #onLimit: () => void;

  constructor(captures: readonly Capture[], max: number, onLimit: () => void) {
    this.#captures = captures;
    this.#max = max;
    this.#onLimit = onLimit;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The key and the values a trigger event stands for; undefined when it is no trigger. */
  trigger(pattern: Pattern, event: JsonObject): { key: string; bindings: Bindings } | undefined {
    if (!pattern.test(event, NO_BINDINGS)) return undefined;
    const bindings = capture(this.#captures, event, NO_BINDINGS);
    return bindings === undefined ? undefined : { key: bindingsKey(bindings), bindings };
  }

  get(key: string): Instance<T> | undefined {
    return this.#byKey.get(key);
  }

  /** Adds an instance as the youngest; when there are too many, the oldest goes and the limit is reported. */
  add(key: string, bindings: Bindings, data: T): Instance<T> {
    const instance = { key, bindings, data };
    this.#byKey.delete(key);
    this.#byKey.set(key, instance);
    if (this.#byKey.size > this.#max) {
      this.#eldest.drop();
      this.#onLimit();
    }
    return instance;
  }

  delete(key: string): void {
    this.#byKey.delete(key);
  }

  values(): IterableIterator<Instance<T>> {
    return this.#byKey.values();
  }

  /** The instances for which the event satisfies the pattern. A copy: they may be removed meanwhile. */
  matching(pattern: Pattern | undefined, event: JsonObject): Instance<T>[] {
    if (pattern === undefined || this.#byKey.size === 0 || !pattern.screen(event)) return [];
    if (pattern.variables.length === 0) return [...this.#byKey.values()];
    const key = keyFrom(pattern, this.#captures, event);
    const candidates = key === undefined ? [...this.#byKey.values()] : [this.#byKey.get(key)];
    return candidates.filter(
      (instance): instance is Instance<T> => instance !== undefined && pattern.test(event, instance.bindings),
    );
  }
}

/** The key of the only instance an event can concern; undefined when the pattern does not fix all captured values. */
export function keyFrom(pattern: Pattern, captures: readonly Capture[], event: JsonObject): string | undefined {
  if (captures.length === 0) return "";
  const values = new Map<string, JsonValue>();
  for (const { name } of captures) {
    const link = pattern.links.find(({ variable, access }) => variable === name && access.single);
    const value = link?.access.get(event);
    if (value === undefined || (typeof value === "object" && value !== null)) return undefined;
    values.set(name, value);
  }
  return bindingsKey(values);
}
