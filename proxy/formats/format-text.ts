import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { type Fault, fault } from "../record/fault.ts";
import type { Place } from "../record/place.ts";

/** Brackets in a row that no format has; the parser recurses into each. */
const DEEP = /(?:[[{]\s*){100}/;

/** One slip makes the parser stumble many times. */
const MAX_SYNTAX_FAULTS = 3;

/** The text of a format file with the places of its parts, and the faults found in it. */
export class FormatText {
  readonly faults: Fault[] = [];
  /** The file's contents as plain values; undefined when it is no YAML. */
  readonly plain: unknown;
  readonly #text: string;
  readonly file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document | undefined;

  constructor(text: string, file: string) {
    this.#text = text;
    this.file = file;
    if (DEEP.test(text)) {
      this.#add("WM_FORMAT_YAML", "the file is nested too deep", this.#place([0, 1]));
      return;
    }
    const options = {
      version: "1.2",
      schema: "core",
      strict: true,
      prettyErrors: false,
      lineCounter: this.#lines,
    } as const;
    const document = parseDocument(text, options);
    this.#document = document;
    for (const { message, pos } of document.errors.slice(0, MAX_SYNTAX_FAULTS)) {
      this.#add("WM_FORMAT_YAML", message.split("\n", 1)[0] ?? "", this.#place(pos));
    }
    if (this.faults.length > 0) return;
    try {
      this.plain = document.toJS({ maxAliasCount: 100 });
    } catch (cause) {
      this.#add("WM_FORMAT_YAML", cause instanceof Error ? cause.message : String(cause), this.#place([0, 1]));
    }
  }

  /** Notes what is wrong with the value at a path (or its nearest holder), or with a key there. */
  report(
    message: string,
    path: readonly PropertyKey[],
    more: { readonly key?: string; readonly fix?: string } = {},
  ): void {
    this.faults.push(this.faultAt(message, path, more));
  }

  faultAt(
    message: string,
    path: readonly PropertyKey[],
    { key, fix }: { readonly key?: string; readonly fix?: string } = {},
  ): Fault {
    const place = key === undefined ? this.#placeOf(path) : this.#placeOfKey(path, key);
    return fault("WM_FORMAT_INVALID", message, { place, text: this.#text, ...(fix === undefined ? {} : { fix }) });
  }

  #add(code: "WM_FORMAT_YAML", message: string, place: Place): void {
    this.faults.push(fault(code, message, { place, text: this.#text }));
  }

  #placeOf(path: readonly PropertyKey[]): Place {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown =
        length === 0 ? this.#document?.contents : this.#document?.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range)
        return this.#place(isScalar(node) ? [node.range[0], node.range[1]] : [node.range[0], node.range[0] + 1]);
    }
    return this.#place([0, 1]);
  }

  #placeOfKey(path: readonly PropertyKey[], key: string): Place {
    const node: unknown = path.length === 0 ? this.#document?.contents : this.#document?.getIn(path, true);
    const pair =
      isCollection(node) && isMap(node)
        ? node.items.find((item) => isScalar(item.key) && item.key.value === key)
        : undefined;
    const range = pair !== undefined && isScalar(pair.key) ? pair.key.range : undefined;
    return range ? this.#place([range[0], range[1]]) : this.#placeOf(path);
  }

  #place([from, to]: readonly [number, number]): Place {
    const { line, col } = this.#lines.linePos(from);
    return { file: this.file, line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, to - from) };
  }
}
