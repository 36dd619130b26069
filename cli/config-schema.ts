import type { OptionSpec } from "./verb.ts";
import { COMMON_OPTIONS } from "./verb.ts";
import { VERBS } from "./verbs.ts";

type Json = Readonly<Record<string, unknown>>;
type Options = Readonly<Record<string, OptionSpec>>;

/** Options that say where the settings are, and so cannot be among them. */
const ABOUT_SETTINGS = ["config", "profile"];

/**
 * The JSON Schema (draft-07) of `waymark.config.yaml`, for editors; made from the options of all verbs. The same file is
 * what the loader checks names and kinds against, so that reading a configuration needs no verb to be loaded.
 */
export async function configSchema(): Promise<Json> {
  const verbs = await Promise.all(VERBS.map(({ load }) => load()));
  const common = Object.entries(COMMON_OPTIONS).filter(([name]) => !ABOUT_SETTINGS.includes(name));
  const shared = new Map<string, OptionSpec>(common);
  const own: Record<string, Json> = {};
  for (const { name, options, ignoresConfig } of verbs) {
    if (ignoresConfig === true) continue;
    own[name] = section({ ...options, ...Object.fromEntries(common) }, `Only for \`waymark ${name}\`; beats options.`);
    for (const [option, spec] of Object.entries(options)) shared.set(option, wider(shared.get(option), spec));
  }
  const layer = {
    command: text("What `waymark run` and `waymark doctor --app` start when nothing stands behind --."),
    options: section(Object.fromEntries([...shared].sort()), "Options by name, for every verb that has them."),
    verbs: { type: "object", additionalProperties: false, description: "Options of one verb.", properties: own },
  };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $comment: "Generated from the options of the verbs (cli/config-schema.ts).",
    title: "waymark config",
    type: "object",
    additionalProperties: false,
    required: ["waymark"],
    properties: {
      waymark: { const: 1, description: "Version of this file's language." },
      ...refs(layer),
      profiles: {
        type: "object",
        description: "Settings by name, for --profile NAME; they beat those above.",
        additionalProperties: { type: "object", additionalProperties: false, properties: refs(layer) },
      },
    },
    definitions: layer,
  };
}

function refs(layer: Json): Json {
  return Object.fromEntries(Object.keys(layer).map((name) => [name, { $ref: `#/definitions/${name}` }]));
}

/** Of an option that is a list in one verb and a text in another, what takes both. */
function wider(known: OptionSpec | undefined, spec: OptionSpec): OptionSpec {
  if (known === undefined) return spec;
  return known.kind === "list" || spec.kind !== "list" ? known : spec;
}

function section(options: Options, description: string): Json {
  const properties = Object.fromEntries(Object.entries(options).map(([name, spec]) => [name, property(spec)]));
  return { type: "object", additionalProperties: false, description, properties };
}

function property({ kind, describe, value, defaultText }: OptionSpec): Json {
  const said = [value === undefined ? describe : `${value}: ${describe}`];
  if (defaultText !== undefined) said.push(`(default ${defaultText})`);
  const description = said.join(" ");
  if (kind === "flag") return { type: "boolean", description };
  return kind === "text" ? text(description) : { anyOf: [ONE, { type: "array", items: ONE }], description };
}

const ONE = { type: ["string", "number"] };

function text(description: string): Json {
  return { ...ONE, description };
}
