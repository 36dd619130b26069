import type { JsonObject } from "../../proxy/record/json.ts";
import { compilePath, type PathAccess } from "../operators/where.ts";
import { Duplicates } from "./duplicates.ts";
import { arrivalTime, createTimeReader, type EventTime, type TimeReader } from "./event-time.ts";
import { duration } from "./ledger.ts";
import type { CaptureEnd, EventPlace } from "./outcome.ts";
import type { Program } from "./program.ts";
import { ReorderBuffer } from "./reorder.ts";
import { eventKeysOf } from "./selective.ts";
import { ONLY, SessionSet } from "./sessions.ts";
import type { SelectiveGrader, TraceGrader, TraceOutcome } from "./trace.ts";

/** A clock that jumps further than this is wrong; it must not make everything after it late. */
const JUMP_MS = 3_600_000;

/** Grades one series of lines against a scenario, in one pass and in bounded memory (LANGUAGE.md section 6). */
export function createTraceGrader(program: Program): TraceGrader {
  return new StreamGrader(program);
}

interface Arrived {
  readonly event: JsonObject;
  readonly place: EventPlace;
  readonly time: EventTime | undefined;
}

class StreamGrader implements TraceGrader {
  readonly #program: Program;
  readonly #readTime: TimeReader;
  readonly #duplicates: Duplicates;
  readonly #sessions: SessionSet;
  readonly #keys: readonly PathAccess[];
  readonly #selective: SelectiveGrader | undefined;
  readonly #buffer = new ReorderBuffer<Arrived>();
  readonly #isByTime: boolean;
  readonly #limitsHit = new Set<string>();
  #duplicateCount = 0;
  #late = 0;
  #clockJumps = 0;
  #jumpAt: number | undefined;
  #largest = Number.NEGATIVE_INFINITY;
  #watermark = Number.NEGATIVE_INFINITY;
  /** How long events have been under way: from their own time to their arrival. */
  #delayMs = 0;

  constructor(program: Program) {
    const { events, limits } = program.scenario;
    this.#program = program;
    this.#readTime = createTimeReader(events);
    this.#duplicates = new Duplicates(events);
    this.#isByTime = events.order === "time";
    this.#keys = (events.session ?? []).map((path) => compilePath(path, events.name));
    this.#sessions = new SessionSet(program, limits.sessions);
    this.#selective = this.#select();
  }

  event(event: JsonObject, place: EventPlace): void {
    const time = this.#readTime.of(event);
    if (this.#duplicates.isDuplicate(event, time?.at)) {
      this.#duplicateCount += 1;
      return;
    }
    if (time !== undefined) this.#noteDelay(event, time.at);
    const arrived = { event, place, time };
    if (this.#isByTime) this.#enqueue(arrived);
    else this.#hand(arrived);
  }

  get selective(): SelectiveGrader | undefined {
    return this.#selective;
  }

  #select(): SelectiveGrader | undefined {
    const keys = eventKeysOf(this.#program);
    if (keys === undefined) return undefined;
    const [sessions, readTime] = [this.#sessions, this.#readTime];
    return {
      keys,
      get numberTimes() {
        return readTime.numberTimes;
      },
      interests: (name, isLarge) => sessions.interests(name, isLarge),
      get generation() {
        return sessions.generation;
      },
      pass: (event, place) => sessions.pass(readTime.ofPassed(event), place, event.countedName),
      passRun: (run, last) => sessions.passRun(run, last),
    };
  }

  #noteDelay(event: JsonObject, at: number): void {
    const arrival = this.#program.rules.length === 0 ? undefined : arrivalTime(event);
    if (arrival !== undefined && arrival - at > this.#delayMs) this.#delayMs = arrival - at;
  }

  #enqueue(arrived: Arrived): void {
    const { latenessMs } = this.#program.scenario.events;
    const at = arrived.time?.at;
    // Without a time there is no place to sort it into but the one where it arrived.
    if (at === undefined) {
      this.#buffer.push(Math.max(this.#largest, this.#watermark), arrived);
      return;
    }
    if (at < this.#watermark) {
      this.#tooLate(arrived, this.#watermark - at);
      return;
    }
    this.#buffer.push(at, arrived);
    this.#advance(at);
    this.#release(Math.max(this.#watermark, this.#largest - latenessMs));
    this.#bound();
  }

  /**
   * Moves the watermark. One event far ahead is a wrong clock and moves nothing; a second one at about the same time
   * says that time really went on, as over a night.
   */
  #advance(at: number): void {
    const isAhead = Number.isFinite(this.#largest) && at - this.#largest > JUMP_MS;
    const isConfirmed = this.#jumpAt !== undefined && Math.abs(at - this.#jumpAt) <= JUMP_MS;
    if (isAhead && !isConfirmed) {
      this.#clockJumps += 1;
      this.#jumpAt = at;
      return;
    }
    if (isAhead) {
      this.#clockJumps -= 1;
      this.#jumpAt = undefined;
    }
    this.#largest = Math.max(this.#largest, at);
  }

  #tooLate({ event, place }: Arrived, byMs: number): void {
    const { latenessMs } = this.#program.scenario.events;
    this.#late += 1;
    const lateMs = byMs + latenessMs;
    const advice = duration(Math.ceil(lateMs / 1000) * 1000).replace(" ", "");
    const why = `line ${place.line} arrived ${duration(lateMs)} late; raise lateness to ${advice}`;
    this.#sessions.doubt(this.#sessionOf(event), event, why);
  }

  #release(watermark: number): void {
    this.#watermark = watermark;
    for (let next = this.#buffer.pop(watermark); next !== undefined; next = this.#buffer.pop(watermark)) {
      this.#hand(next);
    }
  }

  /** A buffer that is full releases its earliest event; whatever is older than that is late from then on. */
  #bound(): void {
    while (this.#buffer.size > this.#program.scenario.limits.latenessEvents) {
      const next = this.#buffer.pop(Number.POSITIVE_INFINITY);
      if (next === undefined) return;
      this.#watermark = Math.max(this.#watermark, next.time?.at ?? this.#watermark);
      this.#limitsHit.add("lateness_events");
      this.#hand(next);
    }
  }

  #hand({ event, place, time }: Arrived): void {
    this.#sessions.event(this.#sessionOf(event), { event, place, time });
  }

  /** The session an event belongs to: ONLY when sessions are not split, undefined when it names none. */
  #sessionOf(event: JsonObject): string | undefined {
    if (this.#keys.length === 0) return ONLY;
    const parts: string[] = [];
    for (const key of this.#keys) {
      const value = key.get(event);
      if (value === undefined || value === null) return undefined;
      parts.push(typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : `${value}`);
    }
    return parts.join(" / ");
  }

  tick(atMs: number): void {
    const { latenessMs } = this.#program.scenario.events;
    if (!this.#isByTime) {
      this.#sessions.tick(atMs - this.#delayMs);
      return;
    }
    const watermark = atMs - Math.max(latenessMs, this.#delayMs);
    if (watermark > this.#watermark) this.#release(watermark);
    this.#sessions.tick(watermark);
  }

  gap(place: EventPlace, why: string): void {
    const isCounted = this.#program.scenario.events.unreadable === "gap";
    this.#sessions.gap(isCounted ? `line ${place.line}: ${why}` : undefined);
  }

  get decided(): boolean {
    return this.#keys.length === 0 && this.#sessions.isDecided;
  }

  standing(): readonly TraceOutcome[] {
    return this.#sessions.standing();
  }

  finish(end: CaptureEnd): readonly TraceOutcome[] {
    this.#release(Number.POSITIVE_INFINITY);
    return this.#sessions.finish(end, {
      late: this.#late,
      duplicates: this.#duplicateCount,
      limitsHit: [...this.#limitsHit],
      ...(this.#clockJumps === 0 ? {} : { clockJumps: this.#clockJumps }),
    });
  }
}
