import type { Reporter } from "../reporter.ts";
import { agent } from "./agent.ts";
import { github } from "./github.ts";
import { html } from "./html.ts";
import { json } from "./json.ts";
import { junit } from "./junit.ts";
import { markdown } from "./markdown.ts";
import { ndjson } from "./ndjson.ts";
import { plain } from "./plain.ts";
import { pretty } from "./pretty.ts";
import { tap } from "./tap.ts";

/** Every reporter, in the order `--help` lists them. */
export const REPORTERS: readonly Reporter[] = [pretty, plain, agent, json, ndjson, junit, github, markdown, html, tap];
