import type { JsonObject } from "../record/json.ts";
import type { DecodedEvent, ParsedText } from "./decoder.ts";
import { clearReserved } from "./lift.ts";
import { without } from "./member.ts";

/** What a decoder knows of an event besides its fields. */
export interface Known {
  readonly name: string | null;
  readonly time: string | undefined;
  readonly session?: string | undefined;
}

/**
 * An event that keeps all members of the object it was parsed from. Its fields are copied only for who asks: a record
 * that is cut from the event's text needs none, and to copy them took as long as a fifth of the parsing. A spread of it
 * has neither fields nor text, so that one with other fields cannot keep the text.
 */
export class WholeEvent implements DecodedEvent {
  readonly name: string | null;
  declare readonly time?: string;
  declare readonly session?: string;
  readonly #from: ParsedText;

  constructor(from: ParsedText, { name, time, session }: Known) {
    this.name = name;
    if (time !== undefined) this.time = time;
    if (session !== undefined) this.session = session;
    this.#from = from;
  }

  get fields(): JsonObject {
    return clearReserved(without(this.#from.value, "name", "time"));
  }

  get ownShape(): ParsedText {
    return this.#from;
  }
}
