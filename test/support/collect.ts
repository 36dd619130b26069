import type { LinePlace, RangeSink } from "../../grader/read/intake.ts";
import type { JsonObject } from "../../proxy/record/json.ts";

/** A sink that keeps what it is given, as a reader of a small log sees it. */
export class Collected implements RangeSink {
  events: { event: JsonObject; place: LinePlace }[] = [];
  gaps: { place: LinePlace; why: string }[] = [];
  ticks: number[] = [];
  restarts = 0;

  restart(): void {
    this.restarts++;
    this.events = [];
    this.gaps = [];
    this.ticks = [];
  }
  event(event: JsonObject, place: LinePlace): void {
    this.events.push({ event, place });
  }
  tick(atMs: number): void {
    this.ticks.push(atMs);
  }
  gap(place: LinePlace, why: string): void {
    this.gaps.push({ place, why });
  }

  get names(): unknown[] {
    return this.events.map(({ event }) => event["name"]);
  }
}
