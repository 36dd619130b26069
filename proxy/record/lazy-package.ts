import { createRequire } from "node:module";
import type { JSONPath } from "jsonpath-plus";
import type { RE2JS } from "re2js";

const load = createRequire(import.meta.url);

let re2: typeof RE2JS | undefined;
let jsonPath: typeof JSONPath | undefined;

/** The regular expressions of re2js; loaded by the first scenario that has one, since that takes longer than a small grade. */
export function loadRe2(): typeof RE2JS {
  re2 ??= (load("re2js") as { readonly RE2JS: typeof RE2JS }).RE2JS;
  return re2;
}

/** The queries of jsonpath-plus; loaded by the first scenario that has one. */
export function loadJsonPath(): typeof JSONPath {
  jsonPath ??= (load("jsonpath-plus") as { readonly JSONPath: typeof JSONPath }).JSONPath;
  return jsonPath;
}
