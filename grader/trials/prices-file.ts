import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Fault, fault, WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import { didYouMean } from "../../proxy/record/near.ts";
import { formatPlace, type Place } from "../../proxy/record/place.ts";
import { parseYaml, type YamlEntry, type YamlNode } from "../scenario/yaml.ts";
import type { Price, PriceList } from "./prices.ts";
import { figureOf } from "./spending-numbers.ts";

/** Where prices are looked for when `--prices` names no file. */
export const PRICES_FILE = join(".waymark", "prices.yaml");

const KINDS = { input: "input", output: "output", cached: "cached", cache_write: "cacheWrite" } as const;

/**
 * The prices to use: those of the file asked for, else those of `.waymark/prices.yaml` where that stands, else none.
 * Throws `WM_RUN_PRICES` when the file asked for is not there, and whenever a file that is there holds no prices.
 */
export function findPrices(asked: string | undefined, standard: string = PRICES_FILE): PriceList | undefined {
  if (asked !== undefined) return readPrices(asked);
  return statSync(standard, { throwIfNoEntry: false })?.isFile() ? readPrices(standard) : undefined;
}

/** Reads a price file (YAML or JSON). Throws `WM_RUN_PRICES` with every problem in it. */
export function readPrices(file: string): PriceList {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw waymarkError("WM_RUN_PRICES", `the price file "${file}" cannot be read`, { cause });
  }
  return parsePrices(text, file);
}

/** Prices from the text of a price file: `gpt-x: {input: 2.50, output: 10, cached: 1.25}`, US dollars per million tokens. */
export function parsePrices(text: string, file: string): PriceList {
  const { root, faults } = parseYaml(text, file);
  const reading: Reading = { text, faults: [], numbers: new Set() };
  if (root !== undefined && root.kind !== "map") complain(reading, "a price file maps models to prices", root.place);
  const prices = root?.kind === "map" ? root.entries.map((entry) => priceOf(entry, reading)) : [];
  // 2.50 is a trap in a scenario, where versions are compared; a price is a number however it is spelled.
  const own = faults.filter((one) => one.code !== "WM_SCENARIO_YAML_TRAP" || !reading.numbers.has(key(one.place)));
  const errors = [...own.map((one): Fault => ({ ...one, code: "WM_RUN_PRICES" })), ...reading.faults];
  if (errors.some(({ severity }) => severity === "error")) throw new WaymarkError(errors);
  return { file, prices };
}

interface Reading {
  readonly text: string;
  readonly faults: Fault[];
  /** Places of the numbers that were taken as prices. */
  readonly numbers: Set<string>;
}

function key(place: Place | undefined): string {
  return place === undefined ? "" : formatPlace(place);
}

function complain({ text, faults }: Reading, message: string, place: Place): void {
  faults.push(fault("WM_RUN_PRICES", message, { place, text }));
}

function priceOf({ key: model, keyPlace, value }: YamlEntry, reading: Reading): Price & { readonly model: string } {
  if (value.kind !== "map") {
    complain(reading, `the price of "${model}" has to be a map such as {input: 2.5, output: 10}`, value.place);
    return { model };
  }
  const price: { -readonly [Key in keyof Price]: number } = {};
  for (const entry of value.entries) {
    const kind = Object.hasOwn(KINDS, entry.key) ? KINDS[entry.key as keyof typeof KINDS] : undefined;
    const usd = amountOf(entry.value, reading);
    if (kind === undefined) {
      const near = didYouMean(entry.key, Object.keys(KINDS));
      complain(reading, `a price has no "${entry.key}"${near}`, entry.keyPlace);
    } else if (usd === undefined) {
      complain(reading, `"${entry.key}" has to be US dollars per million tokens, 0 or more`, entry.value.place);
    } else price[kind] = usd;
  }
  if (value.entries.length === 0) complain(reading, `"${model}" has no price in it`, keyPlace);
  return { model, ...price };
}

function amountOf(node: YamlNode, { numbers }: Reading): number | undefined {
  if (node.kind !== "scalar" || typeof node.value !== "number") return undefined;
  numbers.add(formatPlace(node.place));
  return figureOf(node.value);
}
