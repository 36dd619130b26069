import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { Columns } from "./columns.ts";
import { timeOf } from "./event-time.ts";
import { type FailureWord, wordsOf } from "./event-words.ts";
import { ItemNumbers, itemKey } from "./items.ts";
import { countEvents, type Kind, openKind } from "./kind.ts";
import { LeafBook } from "./leaf-book.ts";
import { leavesOf } from "./leaves.ts";
import type { Picture } from "./pictures/compare.ts";
import type { Ruling } from "./pictures/looks.ts";
import type { Corpus, Item, Trace } from "./trace.ts";
import { digestOf } from "./trace-digest.ts";

/** Times below this are counts from some start or mere indexes, not dates (1973 in ms). */
const SMALLEST_DATE = 1e11;

/** A run being distilled. */
export interface OpenRun {
  event(event: JsonObject): void;
  /** The run is over. `shots` are its screenshots, by the place of the event whose state they show. */
  end(params?: ReadonlyMap<string, JsonValue>, shots?: ReadonlyMap<number, Picture>): void;
}

/** After so many new spellings in a row the next events of the name are not spelled: many of theirs would be new as well. */
const [MOST_MISSES, UNSPELT] = [100, 900];

/** Spellings are forgotten beyond so many characters in all: they save time only, and those of events that never repeat none. */
const MOST_SPELT = 4e6;

/**
 * Distils runs to items and traces in bounded memory: equal events are kept once, and of a path with many values (1,000;
 * fewer where a name comes often) nothing is kept. What comes out does not depend on the order of the runs.
 */
export class Distiller {
  readonly #book = new LeafBook();
  readonly #numbers = new ItemNumbers();
  readonly #kinds = new Map<string, Kind>();
  readonly #traces: Trace[] = [];
  readonly #failures = new Map<string, FailureWord>();
  readonly #writes = new Set<string>();
  readonly #pictures = new Map<string, Picture>();
  readonly #rulings = new Map<string, Ruling>();
  #expected: ReadonlyMap<string, number> = new Map();
  #spelt = 0;
  /** What `corpus` found, until more comes. */
  #found: Corpus | undefined;

  /** Takes up runs that were distilled before, or elsewhere. */
  restore({ items, traces, pictures = [], rulings = [] }: Corpus, endless: readonly string[], words: Words): void {
    this.#found = undefined;
    for (const id of endless) {
      const [event = "", path = ""] = id.split("\n");
      const { leaves, outcomes } = this.#kindFor(event.slice(1));
      (event.startsWith("=") ? outcomes : leaves).setEndless(path);
    }
    const known = items.map((item) => this.#add(item));
    const counts = new Array<number>(items.length).fill(0);
    for (const trace of traces) {
      for (const at of trace.items) counts[at] = (counts[at] ?? 0) + 1;
      this.#traces.push({ ...trace, items: Int32Array.from(trace.items, (at) => known[at] ?? 0) });
    }
    for (const [at, { name }] of items.entries()) countEvents(this.#kindFor(name), counts[at] ?? 0);
    for (const picture of pictures) this.#keep(picture);
    this.rule(rulings);
    for (const word of words.failures) this.#failures.set(word.test, word);
    for (const path of words.writes) this.#writes.add(path);
  }

  /** Has to be said first: how many events of which name will come. What is distilled holds only when `isAsExpected`. */
  expect(counts: ReadonlyMap<string, number>): void {
    this.#expected = counts;
  }

  /** True when as many events came as were expected, or enough for it to make no difference. */
  get isAsExpected(): boolean {
    return [...this.#kinds.values()].every(({ leaves }) => leaves.isAsExpected);
  }

  open(): OpenRun {
    const items: number[] = [];
    const times: number[] = [];
    return {
      event: (event) => {
        const name = event["name"];
        if (typeof name !== "string") return;
        this.#found = undefined;
        items.push(this.#indexOf(event, name));
        times.push(timeOf(event));
      },
      end: (params = new Map(), shots = new Map()) => {
        this.#found = undefined;
        const areReal = times.length > 0 && times.every((time) => time >= SMALLEST_DATE);
        this.#traces.push({
          items: Int32Array.from(items),
          params,
          ...(areReal ? { times: Float64Array.from(times) } : {}),
          ...(shots.size > 0
            ? { pictures: new Map([...shots].map(([at, picture]) => [at, this.#keep(picture)])) }
            : {}),
        });
      },
    };
  }

  /** Keeps what a judge said of pictures. */
  rule(rulings: readonly Ruling[]): void {
    this.#found = undefined;
    for (const ruling of rulings) this.#rulings.set(ruling.pair.join(), ruling);
  }

  /** Of one picture in several places the name that sorts first counts, whichever came first. */
  #keep(picture: Picture): string {
    const known = this.#pictures.get(picture.digest);
    if (known === undefined || picture.file < known.file) this.#pictures.set(picture.digest, picture);
    return picture.digest;
  }

  /** The index of an event's item. Most events of long runs are spelled like one before them. */
  #indexOf(event: JsonObject, name: string): number {
    const kind = this.#kindFor(name);
    countEvents(kind, 1);
    const signature = this.#signatureOf(event, kind);
    const known = signature === undefined ? undefined : kind.known.get(signature);
    if (known !== undefined) {
      kind.misses = 0;
      return known;
    }
    const index = this.#add(this.#itemOf(event, name));
    if (signature !== undefined) this.#remember(kind, signature, index);
    return index;
  }

  #signatureOf(event: JsonObject, kind: Kind): string | undefined {
    if (kind.misses++ < MOST_MISSES) return kind.signatures.of(event);
    if (kind.misses > MOST_MISSES + UNSPELT) kind.misses = 0;
    return undefined;
  }

  #remember({ known }: Kind, signature: string, index: number): void {
    this.#spelt += signature.length;
    if (this.#spelt > MOST_SPELT) {
      for (const kind of this.#kinds.values()) kind.known.clear();
      this.#spelt = signature.length;
    }
    known.set(signature, index);
  }

  #itemOf(event: JsonObject, name: string): Item {
    const { failure, writes, outcome, isCall } = wordsOf(event);
    if (failure !== undefined) this.#failures.set(failure.word.test, failure.word);
    if (writes !== undefined) this.#writes.add(writes.path);
    return {
      name,
      leaves: leavesOf(event, this.#kindFor(name).leaves),
      failed: failure?.failed === true,
      tells: failure !== undefined,
      outcome,
      isCall,
      writes: writes?.writes,
    };
  }

  /** The index of the item without the leaves that vary without end, as far as that is known by now. */
  #add(item: Item): number {
    const { leaves, outcomes, items } = this.#kindFor(item.name);
    const numbers: number[] = [];
    for (const leaf of item.leaves) {
      const number = leaves.numberOf(leaf);
      if (number !== undefined) numbers.push(number);
    }
    return items.add(item, numbers, item.outcome && outcomes.numberOf(item.outcome));
  }

  #kindFor(name: string): Kind {
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      kind = openKind(name, { book: this.#book, numbers: this.#numbers, events: this.#expected.get(name) ?? 0 });
      this.#kinds.set(name, kind);
    }
    return kind;
  }

  /** Paths that vary without end; part of what has to be kept to add runs later. */
  get endless(): readonly string[] {
    const paths = (start: string, columns: Columns): readonly string[] =>
      [...columns.entries()].flatMap(([path, { endless }]) => (endless ? [`${start}\n${path}`] : []));
    return [...this.#kinds]
      .flatMap(([name, { leaves, outcomes }]) => [...paths(`-${name}`, leaves), ...paths(`=${name}`, outcomes)])
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
    this.#found ??= this.#corpus();
    return this.#found;
  }

  #corpus(): Corpus {
    const byKey = new Map<string, Item>();
    const keys: string[] = [];
    for (const { items: own } of this.#kinds.values()) {
      for (const { index, item } of own.settled()) {
        const key = itemKey(item);
        keys[index] = key;
        if (!byKey.has(key)) byKey.set(key, item);
      }
    }
    const order = new Map([...byKey.keys()].sort().map((key, index) => [key, index]));
    const renumbered = this.#numbers.all((index) => order.get(keys[index] ?? "") ?? 0);
    const traces = this.#traces.map((trace) => {
      const moved = { ...trace, items: Int32Array.from(trace.items, (at) => renumbered[at] ?? 0) };
      return { digest: digestOf(moved), trace: moved };
    });
    traces.sort((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0));
    const items = [...order.keys()].flatMap((key) => byKey.get(key) ?? []);
    const sorted = <Value>(map: ReadonlyMap<string, Value>): readonly Value[] =>
      [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    return {
      items,
      traces: traces.map(({ trace }) => trace),
      ...(this.#pictures.size > 0 ? { pictures: sorted(this.#pictures) } : {}),
      ...(this.#rulings.size > 0 ? { rulings: sorted(this.#rulings) } : {}),
    };
  }
}

/** How the events of the runs say that they failed or that they write. */
export interface Words {
  readonly failures: readonly FailureWord[];
  readonly writes: readonly string[];
}
