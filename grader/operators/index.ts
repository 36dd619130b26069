import { gt, gte, lt, lte } from "./compare.ts";
import { contains } from "./contains.ts";
import { endswith } from "./endswith.ts";
import { equals } from "./equals.ts";
import { exists } from "./exists.ts";
import { glob } from "./glob.ts";
import { is } from "./is.ts";
import { like } from "./like.ts";
import type { Operator } from "./operator.ts";
import { re } from "./re.ts";
import { startswith } from "./startswith.ts";
import { type } from "./type.ts";
import { under } from "./under.ts";

/** Every comparison, in the order in which messages list them. `is` is the one without a name behind the pipe. */
export const OPERATORS: readonly Operator[] = [
  is,
  contains,
  startswith,
  endswith,
  re,
  glob,
  gt,
  gte,
  lt,
  lte,
  exists,
  equals,
  type,
  under,
  like,
];
