import { execFile } from "node:child_process";

export type Command = readonly string[];

/** Runs a program and resolves with its stdout; rejects with what it said when it fails. */
export type RunCommand = (command: Command) => Promise<string>;

const TIMEOUT_MS = 20_000;

export const runCommand: RunCommand = ([program = "", ...args]) =>
  new Promise((resolve, reject) => {
    execFile(program, args, { timeout: TIMEOUT_MS, windowsHide: true, encoding: "utf8" }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${[program, ...args].join(" ")}: ${stderr.trim() || stdout.trim() || error.message}`));
    });
  });
