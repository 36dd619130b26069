import type { Fault } from "../../proxy/record/fault.ts";
import type { Scenario } from "./ast.ts";

/** A scenario that can be graded, with what is odd about it and the texts it was read from. */
export interface LoadedScenario {
  readonly scenario: Scenario;
  /** Warnings and hints; a scenario with errors is never handed out. */
  readonly warnings: readonly Fault[];
  readonly file: string;
  readonly text: string;
  /** Text of the file and of every file it takes over, by the name their places carry. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads the text of a file named by `use` or `extends`; the name is already relative to the working folder. */
export type ReadFile = (file: string) => string;

/** Loads a scenario file. Throws a `WaymarkError` with every problem of the file at once. */
export async function loadScenario(_file: string): Promise<LoadedScenario> {
  throw new Error("being built");
}

/** Like `loadScenario`, from text; `readFile` reads what `use` and `extends` name. */
export function parseScenario(_text: string, _file: string, _readFile?: ReadFile): LoadedScenario {
  throw new Error("being built");
}
