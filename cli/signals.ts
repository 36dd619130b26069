import type { Terminal } from "./terminal.ts";

export interface Stopped {
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP";
  /** 130, 143 or 129, as shells have it. */
  readonly exitCode: number;
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Waits for the first signal to stop, runs `drain` to its end and resolves. A second signal stops at once, with what is
 * already written.
 */
export async function untilStopped(terminal: Terminal, drain: () => Promise<unknown>): Promise<Stopped> {
  const signal = await firstSignal();
  const impatient = (second: NodeJS.Signals): void => {
    terminal.err(`waymark: stopped at once by a second ${second}\n`);
    process.exit(EXIT_CODES[signal]);
  };
  const names = Object.keys(EXIT_CODES) as Stopped["signal"][];
  for (const name of names) process.on(name, impatient);
  try {
    await drain();
  } finally {
    for (const name of names) process.off(name, impatient);
  }
  return { signal, exitCode: EXIT_CODES[signal] };
}

/** An abort signal that fires at the first Ctrl-C or SIGTERM; `exitCode` is undefined until then. */
export function stopSignal(): { readonly signal: AbortSignal; exitCode(): number | undefined } {
  const controller = new AbortController();
  let stopped: Stopped["signal"] | undefined;
  void firstSignal().then((name) => {
    stopped = name;
    controller.abort();
  });
  return { signal: controller.signal, exitCode: () => (stopped === undefined ? undefined : EXIT_CODES[stopped]) };
}

function firstSignal(): Promise<Stopped["signal"]> {
  return new Promise((resolve) => {
    const names = Object.keys(EXIT_CODES) as Stopped["signal"][];
    const heard = (name: NodeJS.Signals): void => {
      for (const other of names) process.off(other, heard);
      resolve(name as Stopped["signal"]);
    };
    for (const name of names) process.on(name, heard);
  });
}
