import type { ReadStream, WriteStream } from "node:tty";

/** A screen that can be repainted. */
export interface Display {
  write(text: string): void;
  size(): { readonly columns: number; readonly rows: number };
  onResize(listener: () => void): () => void;
}

/** A terminal's stream as a screen; one that does not know its size counts as 80 by 24. */
export function displayOn(stream: WriteStream): Display {
  return {
    write: (text) => void stream.write(text),
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    onResize: (listener) => {
      stream.on("resize", listener);
      return () => stream.off("resize", listener);
    },
  };
}

/** Keys as they are pressed. */
export interface Keyboard {
  onKey(listener: (key: string) => void): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

/** The keys of a terminal, one by one and without their echo. */
export function keyboardOn(stream: ReadStream): Keyboard {
  stream.setRawMode(true);
  stream.setEncoding("utf8");
  let hear: (key: string) => void = () => {};
  const listen = (text: string): void => {
    for (const key of keysOf(text)) hear(key);
  };
  stream.on("data", listen);
  stream.on("error", () => undefined); // the terminal went away: no key comes any more
  return {
    onKey: (listener) => {
      hear = listener;
    },
    close: () => {
      stream.off("data", listen);
      if (!stream.destroyed) stream.setRawMode(false);
      stream.pause();
    },
  };
}

/** An arrow or a function key arrives as several characters that begin with escape; it is none of ours. */
function keysOf(text: string): readonly string[] {
  return text.startsWith("\u001b") ? [] : [...text];
}
