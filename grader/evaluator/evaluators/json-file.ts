import { stat } from "node:fs/promises";
import * as z from "zod";
import { type JsonObject, type JsonValue, parseJson } from "../../../proxy/record/json.ts";
import { fileNameText, pathText, whereTests } from "./arguments.ts";
import { type Evaluator, type Seen, seen, unseen } from "./evaluator.ts";
import { readTests } from "./field-tests.ts";
import { textOf } from "./file-exists.ts";

const schema = z.strictObject({
  path: pathText,
  file_name: fileNameText.optional(),
  where: whereTests,
});

type Args = z.infer<typeof schema>;

const MOST_BYTES = 33_554_432;

/** `json_file`: a JSON file holds what the field tests ask. A file that is missing or no JSON fails. */
export const jsonFile: Evaluator<Args> = {
  name: "json_file",
  summary: "A JSON file satisfies field tests, written as in a scenario's `where`.",
  schema,
  example: { path: "settings.json", where: { "window.zoom|gte": 1 } },
  paths: ({ path }) => [{ key: "path", path }],
  async look({ path, file_name, where }, { locator }) {
    const read = readTests(where as JsonObject);
    if (!read.ok) return unseen("WM_SERVE_BODY", `where: ${read.why}`);
    const place = locator.locate(file_name === undefined ? path : locator.join(path, file_name));
    if (place.kind === "elsewhere") return missing(place.why);
    const value = await readValue(place.path);
    if (!("value" in value)) return value;
    const holds = read.tests.test(value.value);
    return seen(
      holds,
      [`${place.path} is as wanted`, `${place.path}: ${holds ? "" : read.tests.complain(value.value)}`],
      { exists: true, matches: holds },
    );
  },
};

function missing(why: string): Seen {
  return seen(false, ["", why], { exists: false, matches: false });
}

async function readValue(path: string): Promise<{ readonly value: JsonValue } | Seen> {
  try {
    if (!(await stat(path)).isFile()) return missing(`${path} is no regular file`);
    const text = await textOf(path, MOST_BYTES);
    if (text === undefined)
      return unseen("WM_SERVE_LIMIT", `${path} is larger than ${MOST_BYTES} bytes`, { exists: true });
    return { value: parseJson(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return seen(false, ["", `${path} is no JSON: ${error.message}`], { exists: true, matches: false });
    }
    const { code, message } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code ?? "")) return missing(`${path} does not exist`);
    return unseen("WM_SERVE_LOOK", `${path} cannot be read (${code ?? message})`);
  }
}
