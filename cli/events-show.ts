import type { LinePlace } from "../grader/read/range-sink.ts";
import type { Paint } from "../grader/report/paint.ts";
import { asText, showValue } from "../grader/report/text.ts";
import { isObject, type JsonObject, type JsonValue } from "../proxy/record/json.ts";

const WIDTH = 28;

/** One event on one line: when, its name, its properties, where it stands. All of the log's text is made harmless. */
export function eventLine(event: JsonObject, place: LinePlace, paint: Paint): string {
  const meta = isObject(event["$capture"]) ? event["$capture"] : {};
  const when = paint.dim(timeOf(event, meta).padEnd(12));
  const name = paint.strong(asText(nameOf(event)).padEnd(WIDTH));
  const marks = [
    meta["retry"] === true ? "retry" : "",
    typeof meta["status"] === "number" ? `status ${meta["status"]}` : "",
  ];
  const notes = marks.filter((mark) => mark !== "").map((mark) => ` [${mark}]`);
  const where = paint.dim(`${asText(shortFile(place.file))}:${place.line}`);
  return `${when} ${name} ${showValue(event["data"] ?? restOf(event), 100)}${notes.join("")}  ${where}`;
}

/** An event's name as counts and lists show it. */
export function nameOf(event: JsonObject): string {
  const { name } = event;
  return typeof name === "string" ? name : name === null || name === undefined ? "(no name)" : showValue(name);
}

/** The time of day with milliseconds, in UTC as the log has it. */
function timeOf(event: JsonObject, meta: JsonObject): string {
  const time: JsonValue | undefined = event["time"] ?? meta["at"];
  const ms = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString().slice(11, 23);
}

function restOf(event: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(event).filter(([key]) => key !== "name" && key !== "time" && key !== "$capture"),
  );
}

function shortFile(file: string): string {
  return file.split(/[/\\]/).at(-1) ?? file;
}
