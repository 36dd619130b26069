import { assemble, type LoadedScenario } from "./load.ts";
import { checkShape } from "./shape.ts";
import { type ReadFile, readSources } from "./sources.ts";

/** Like `loadScenario`, from text; `readOther` reads the files that `use` and `extends` name. */
export function parseScenario(text: string, file: string, readOther?: ReadFile): LoadedScenario {
  return assemble(readSources(text, file, { readFile: readOther, checkShape }), text, file);
}
