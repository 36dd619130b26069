import { readFileSync } from "node:fs";
import type { OptionSpec } from "./verb.ts";

type Kind = OptionSpec["kind"];
type Kinds = ReadonlyMap<string, Kind>;

/** What may stand in a configuration: the options that any verb has, and those of each verb. */
export interface ConfigTable {
  readonly options: Kinds;
  readonly verbs: ReadonlyMap<string, Kinds>;
}

interface Property {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Property>>;
}

const FILE = new URL("../../docs/config.schema.json", import.meta.url);

/** The table, out of the published schema: quicker than to load every verb for its options. */
export function configTable(): ConfigTable {
  const { definitions } = JSON.parse(readFileSync(FILE, "utf8")) as {
    definitions: Readonly<Record<"options" | "verbs", Property>>;
  };
  const verbs = Object.entries(definitions.verbs.properties ?? {});
  return {
    options: kindsOf(definitions.options),
    verbs: new Map(verbs.map(([name, verb]) => [name, kindsOf(verb)])),
  };
}

function kindsOf({ properties = {} }: Property): Kinds {
  return new Map(Object.entries(properties).map(([name, { type }]) => [name, kindOf(type)]));
}

function kindOf(type: unknown): Kind {
  if (type === undefined) return "list";
  return type === "boolean" ? "flag" : "text";
}
