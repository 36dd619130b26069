import { RE2JS } from "re2js";
import { parseRedactPath } from "../pipeline/redact-path.ts";
import { createScope } from "../pipeline/scope.ts";
import { WaymarkError } from "../record/fault.ts";
import type { JsonValue } from "../record/json.ts";
import type { Coding, FormatMatch, FormatSink, FormatSpec, Shape, Source, ValuePlace } from "./format.ts";
import type { FormatText } from "./format-text.ts";
import { parsePath } from "./json-path.ts";
import type { FormatFile } from "./schema.ts";
import { parseSource } from "./source-text.ts";

/** Builds a format out of a file whose shape is right; what is wrong beyond that is reported to its text. */
export function buildFormat(file: FormatFile, text: FormatText): FormatSpec {
  const build = new Build(text);
  const { events, time, data, session, id, fields = {}, redact = [], sink } = file;
  if (events !== undefined) build.path(events, ["events"]);
  for (const [index, path] of redact.entries()) build.fine(() => parseRedactPath(path), ["redact", index]);
  return {
    name: file.format,
    file: text.file,
    match: build.match(file.match),
    body: build.body(file.body ?? "json"),
    ...(events === undefined ? {} : { events }),
    eventName: build.place(file.name, ["name"]),
    ...build.optional("time", time),
    ...build.optional("data", data),
    ...build.optional("session", session),
    ...build.optional("id", id),
    fields: Object.entries(fields).map(([name, place]) => [name, build.place(place, ["fields", name])] as const),
    redact,
    ...(sink === undefined ? {} : { sink: sinkOf(sink) }),
  };
}

type WrittenPlace = FormatFile["name"] | NonNullable<FormatFile["time"]>;
type Path = readonly PropertyKey[];

class Build {
  readonly #text: FormatText;

  constructor(text: FormatText) {
    this.#text = text;
  }

  match(written: FormatFile["match"]): FormatMatch {
    const { host, path, path_re: expression, method, content_type, query = {}, header = {}, shape = {} } = written;
    if (host === undefined && path === undefined && expression === undefined && Object.keys(shape).length === 0) {
      this.#text.report("a format has to say a host, a path or a shape; else it would claim every request", ["match"]);
    }
    for (const pattern of listed(host)) {
      this.fine(() => createScope({ known: [pattern], hosts: [], all: false, bypass: [] }), ["match", "host"]);
    }
    if (expression !== undefined) this.fine(() => RE2JS.compile(expression), ["match", "path_re"]);
    for (const place of Object.keys(shape)) this.path(place, ["match", "shape"], place);
    return {
      hosts: listed(host),
      paths: listed(path),
      ...(expression === undefined ? {} : { pathExpression: expression }),
      methods: listed(method),
      contentTypes: listed(content_type),
      query: Object.entries(query),
      headers: Object.entries(header),
      shape: Object.entries(shape).map(([place, wanted]) => [place, shapeOf(wanted)] as const),
    };
  }

  body(written: NonNullable<FormatFile["body"]>): FormatSpec["body"] {
    if (typeof written === "string") return { kind: written };
    const from = this.#source(written.from, ["body", "from"]);
    if (from.kind === "event" || from.kind === "body") {
      this.#text.report("the body itself has no path; write form:NAME, query:NAME, header:NAME or text", [
        "body",
        "from",
      ]);
    }
    return { kind: "from", place: { from, decode: listed(written.decode) }, isLines: written.lines === true };
  }

  optional<K extends string>(key: K, written: WrittenPlace | undefined): { [P in K]?: ValuePlace } {
    return written === undefined ? {} : ({ [key]: this.place(written, [key]) } as { [P in K]?: ValuePlace });
  }

  place(written: WrittenPlace, path: Path): ValuePlace {
    if (typeof written === "string") return { from: this.#source(written, path), decode: [] };
    const decode: readonly Coding[] = listed(written.decode);
    if (written.from !== undefined) {
      const unit = "unit" in written && written.unit !== undefined ? { unit: written.unit } : {};
      return { from: this.#source(written.from, [...path, "from"]), decode, ...unit };
    }
    const value = "value" in written ? (written.value as JsonValue) : undefined;
    if (value === undefined) this.#text.report("a place needs `from`, or a fixed `value`", path);
    return { from: { kind: "value", value: value ?? null }, decode };
  }

  path(text: string, at: Path, key?: string): void {
    const parsed = parsePath(text);
    if (!parsed.ok) this.#text.report(`"${text}" is no JSONPath: ${parsed.why}`, at, key === undefined ? {} : { key });
  }

  fine(check: () => unknown, at: Path): void {
    try {
      check();
    } catch (cause) {
      const [fault] = cause instanceof WaymarkError ? cause.faults : [];
      const why = fault?.message ?? (cause instanceof Error ? cause.message : String(cause));
      this.#text.report(why, at, fault === undefined ? {} : { fix: fault.fix });
    }
  }

  #source(written: string, at: Path): Source {
    const source = parseSource(written) ?? { kind: "text" };
    if (source.kind === "event" || source.kind === "body") this.path(source.path, at);
    return source;
  }
}

function listed<T extends string>(written: T | readonly T[] | undefined): readonly T[] {
  if (written === undefined) return [];
  return typeof written === "string" ? [written] : written;
}

function shapeOf(written: NonNullable<FormatFile["match"]["shape"]>[string]): Shape {
  if (typeof written === "string") return { kind: "type", type: written };
  return { kind: "is", value: (written.is ?? null) as JsonValue };
}

function sinkOf({ status = 200, content_type, body = "{}" }: NonNullable<FormatFile["sink"]>): FormatSink {
  const isText = typeof body === "string";
  return {
    status,
    contentType: content_type ?? (isText && body !== "{}" ? "text/plain" : "application/json"),
    body: isText ? body : JSON.stringify(body),
  };
}
