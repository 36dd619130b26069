import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { type FailureWord, wordsOf } from "./event-words.ts";
import { leavesOf } from "./leaves.ts";
import type { Corpus, Item, Leaf, Trace } from "./trace.ts";

/** A path of an event that has more values than this varies without end; what varies without end is no fact. */
const MOST_VALUES = 1000;
/** Times below this are counts from some start or mere indexes, not dates (1973 in ms). */
const SMALLEST_DATE = 1e11;

/** What is known of the values at the paths of one kind of event. */
type Columns = Map<string, Column>;

function keeps(columns: Columns, { path, key }: Leaf): boolean {
  let column = columns.get(path);
  if (column === undefined) {
    column = { values: new Set(), endless: false };
    columns.set(path, column);
  }
  if (column.endless) return false;
  column.values.add(key);
  if (column.values.size <= MOST_VALUES) return true;
  column.endless = true;
  column.values.clear();
  return false;
}

/** A run being distilled. */
export interface OpenRun {
  event(event: JsonObject): void;
  end(params?: ReadonlyMap<string, JsonValue>): void;
}

interface Column {
  readonly values: Set<string>;
  endless: boolean;
}

/**
 * Distils runs to items and traces in bounded memory: equal events are kept once, and of a path with more than 1,000
 * values nothing is kept. What comes out does not depend on the order of the runs.
 */
export class Distiller {
  readonly #items = new Map<string, number>();
  readonly #kept: Item[] = [];
  /** By kind (leaf or outcome) and name of the event, then by path. */
  readonly #columns = new Map<string, Columns>();
  readonly #traces: Trace[] = [];
  readonly #failures = new Map<string, FailureWord>();
  readonly #writes = new Set<string>();

  /** Takes up runs that were distilled before. */
  restore({ items, traces }: Corpus, endless: readonly string[], words: Words): void {
    for (const id of endless) {
      const [event = "", path = ""] = id.split("\n");
      this.#columnsFor(event.startsWith("=") ? "=" : "-", event.slice(1)).set(path, {
        values: new Set(),
        endless: true,
      });
    }
    const known = items.map((item) => this.#add(this.#columnsOf(item)));
    for (const trace of traces)
      this.#traces.push({ ...trace, items: Int32Array.from(trace.items, (at) => known[at] ?? 0) });
    for (const word of words.failures) this.#failures.set(word.test, word);
    for (const path of words.writes) this.#writes.add(path);
  }

  open(): OpenRun {
    const items: number[] = [];
    const times: number[] = [];
    return {
      event: (event) => {
        const name = event["name"];
        if (typeof name !== "string") return;
        items.push(this.#add(this.#columnsOf(this.#itemOf(event, name))));
        times.push(timeOf(event));
      },
      end: (params = new Map()) => {
        const areReal = times.length > 0 && times.every((time) => time >= SMALLEST_DATE);
        this.#traces.push({
          items: Int32Array.from(items),
          params,
          ...(areReal ? { times: Float64Array.from(times) } : {}),
        });
      },
    };
  }

  #itemOf(event: JsonObject, name: string): Item {
    const { failure, writes, outcome, isCall } = wordsOf(event);
    if (failure !== undefined) this.#failures.set(failure.word.test, failure.word);
    if (writes !== undefined) this.#writes.add(writes.path);
    return {
      name,
      leaves: leavesOf(event, this.#columnsFor("-", name)),
      failed: failure?.failed === true,
      tells: failure !== undefined,
      outcome,
      isCall,
      writes: writes?.writes,
    };
  }

  /** The item without the leaves that vary without end, as far as that is known by now. */
  #columnsOf(item: Item): Item {
    const { name, leaves, outcome } = item;
    const columns = this.#columnsFor("-", name);
    return {
      ...item,
      leaves: leaves.filter((leaf) => keeps(columns, leaf)),
      outcome: outcome !== undefined && keeps(this.#columnsFor("=", name), outcome) ? outcome : undefined,
    };
  }

  #columnsFor(kind: "-" | "=", name: string): Columns {
    const id = kind + name;
    let columns = this.#columns.get(id);
    if (columns === undefined) {
      columns = new Map();
      this.#columns.set(id, columns);
    }
    return columns;
  }

  #add(item: Item): number {
    const key = itemKey(item);
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    this.#items.set(key, this.#kept.length);
    this.#kept.push(item);
    return this.#kept.length - 1;
  }

  /** Paths that vary without end; part of what has to be kept to add runs later. */
  get endless(): readonly string[] {
    return [...this.#columns]
      .flatMap(([event, columns]) =>
        [...columns].flatMap(([path, { endless }]) => (endless ? [`${event}\n${path}`] : [])),
      )
      .sort();
  }

  get words(): Words {
    return {
      failures: [...this.#failures.values()].sort((a, b) => (a.test < b.test ? -1 : 1)),
      writes: [...this.#writes].sort(),
    };
  }

  /** All runs so far. Items that turned out equal are one; items and runs stand in an order of their own. */
  corpus(): Corpus {
    const isEndless = (kind: string, name: string, path: string): boolean =>
      this.#columns.get(kind + name)?.get(path)?.endless === true;
    const final = this.#kept.map((item): Item => {
      const { name, outcome } = item;
      return {
        ...item,
        leaves: item.leaves.filter(({ path }) => !isEndless("-", name, path)),
        outcome: outcome !== undefined && isEndless("=", name, outcome.path) ? undefined : outcome,
      };
    });
    const byKey = new Map<string, Item>();
    const keys = final.map((item) => itemKey(item));
    for (const [index, key] of keys.entries()) {
      const item = final[index];
      if (item !== undefined && !byKey.has(key)) byKey.set(key, item);
    }
    const order = new Map([...byKey.keys()].sort().map((key, index) => [key, index]));
    const renumbered = keys.map((key) => order.get(key) ?? 0);
    const traces = this.#traces.map((trace) => {
      const moved = { ...trace, items: Int32Array.from(trace.items, (at) => renumbered[at] ?? 0) };
      return { digest: digestOf(moved), trace: moved };
    });
    traces.sort((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0));
    const items = [...order.keys()].flatMap((key) => byKey.get(key) ?? []);
    return { items, traces: traces.map(({ trace }) => trace) };
  }
}

/** How the events of the runs say that they failed or that they write. */
export interface Words {
  readonly failures: readonly FailureWord[];
  readonly writes: readonly string[];
}

/** Times are part of it, so that runs that differ in them only have one order as well. */
function digestOf({ items, times, params }: Trace): string {
  const hash = createHash("sha256");
  hash.update(new Uint8Array(Int32Array.from(items).buffer));
  hash.update(JSON.stringify([...params].sort().map(([name, value]) => [name, String(value)])));
  if (times !== undefined) hash.update(new Uint8Array(times.buffer, times.byteOffset, times.byteLength));
  return hash.digest("hex");
}

/** Spelling is part of it: a scenario has to know whether all runs spell a value in one way. */
function itemKey({ name, leaves, failed, tells, outcome, isCall: call, writes }: Item): string {
  const parts = leaves.map(
    ({ path, key, value, within }) =>
      `${path}\u0001${key}\u0001${typeof value}${within === undefined ? "" : "~"}${Array.isArray(value) ? JSON.stringify(value) : typeof value === "string" ? value : ""}`,
  );
  return [
    name,
    failed ? "x" : tells ? "w" : "",
    call ? "c" : "",
    String(writes),
    outcome === undefined ? "" : `${outcome.path}\u0001${outcome.key}`,
    ...parts,
  ].join("\u0000");
}

function timeOf(event: JsonObject): number {
  const { time } = event;
  const capture = event["$capture"];
  const arrived = typeof capture === "object" && capture !== null && "at" in capture ? capture["at"] : undefined;
  for (const value of [time, arrived]) {
    if (typeof value === "string") {
      const at = Date.parse(value);
      if (!Number.isNaN(at)) return at;
    }
    if (typeof value === "number" || typeof value === "bigint") return millisecondsOf(Number(value));
  }
  return 0;
}

/** The unit is told by the size, as the grader tells it. */
function millisecondsOf(value: number): number {
  if (value >= 1e17) return value / 1e6;
  if (value >= 1e14) return value / 1e3;
  return value >= 1e11 ? value : value >= 1e8 ? value * 1000 : value;
}
