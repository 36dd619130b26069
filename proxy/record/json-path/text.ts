/** A place in a JSONPath text, moved on by reading. Throws `Unreadable` for what RFC 9535 does not allow. */
export class JsonPathText {
  readonly text: string;
  at = 0;
  readonly #dashes: boolean;

  constructor(text: string, dashes = false) {
    this.text = text;
    this.#dashes = dashes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  blanks(): void {
    while (/[ \t\n\r]/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  /** Whether the text goes on with the token. */
  sees(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Moves over the token when it is there. */
  takes(token: string): boolean {
    if (!this.sees(token)) return false;
    this.at += token.length;
    return true;
  }

  needs(token: string): void {
    if (!this.takes(token)) this.fail(`expected "${token}"${this.#found()}`);
  }

  /** Moves over what the sticky expression matches here. */
  match(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  fail(why: string, at = this.at): never {
    throw new Unreadable(why, Math.min(at, this.text.length));
  }

  #found(): string {
    return this.isAtEnd ? " at the end" : `, found "${this.text.slice(this.at, this.at + 12)}"`;
  }

  /** A member name written with a dot. */
  shorthand(): string | undefined {
    if (this.#dashes) return this.match(/[\p{L}_][\p{L}\p{N}_-]*/uy);
    return this.match(/[A-Za-z_\u0080-\uD7FF\uD800-\uDFFF\uE000-\uFFFF][A-Za-z0-9_\u0080-\uFFFF]*/y);
  }

  integer(): number | undefined {
    const start = this.at;
    const digits = this.match(/-?\d+/y);
    if (digits === undefined) return undefined;
    const value = Number(digits);
    const isPlain = /^(0|-?[1-9]\d*)$/.test(digits) && Number.isSafeInteger(value);
    return isPlain ? value : this.fail(`"${digits}" is no index`, start);
  }

  /** A quoted text with the escapes of JSON; undefined when none begins here. */
  quoted(): string | undefined {
    const quote = this.text[this.at];
    if (quote !== "'" && quote !== '"') return undefined;
    const start = this.at;
    this.at += 1;
    let value = "";
    while (!this.takes(quote)) {
      if (this.isAtEnd) this.fail("the quoted text is never closed", start);
      value += this.takes("\\") ? this.#escape(quote) : this.#character();
    }
    return value;
  }

  #character(): string {
    const character = this.text[this.at] ?? "";
    if (character < " ") this.fail("a control character has to be escaped");
    this.at += 1;
    return character;
  }

  #escape(quote: string): string {
    const character = this.text[this.at] ?? "";
    if (character === "u") return this.#unicode();
    const meaning = character === quote ? quote : ESCAPES[character];
    if (meaning === undefined) this.fail(`"\\${character}" is no escape`, this.at - 1);
    this.at += 1;
    return meaning ?? "";
  }

  #unicode(): string {
    const start = this.at - 1;
    const hex = this.match(/u[0-9A-Fa-f]{4}/y) ?? this.fail("\\u needs four hexadecimal digits", start);
    const high = Number.parseInt(hex.slice(1), 16);
    if (high < 0xd800 || high > 0xdfff) return String.fromCharCode(high);
    const low = high < 0xdc00 ? this.match(/\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}/y) : undefined;
    if (low === undefined) return this.fail("half a surrogate pair is no character", start);
    return String.fromCharCode(high, Number.parseInt(low.slice(2), 16));
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "/": "/",
  "\\": "\\",
};

/** Why a text is no JSONPath. Stays inside the reader. */
export class Unreadable extends Error {
  readonly at: number;

  constructor(why: string, at: number) {
    super(why);
    this.at = at;
  }
}
