// What a format keeps of the properties that the apps in test/sdk/apps tell.

/** Kept as it was told. */
export const whole = (data: Told): Told => data;
export type Told = Readonly<Record<string, unknown>>;

/** Every value a text; those that are JSON are read again by the decoder, numbers stay texts. */
export const asTexts = (data: Told): Told =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      typeof value === "string" || (typeof value === "object" && value !== null) ? value : String(value),
    ]),
  );

/** As `texts` of the apps' story makes it. */
export const texts = (data: Told): Told =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );

/** As `flat` of the apps' story makes it. */
export function flat(data: Told, prefix = ""): Told {
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]): [string, unknown][] => {
      if (Array.isArray(value)) return [[prefix + key, JSON.stringify(value)]];
      if (typeof value === "object" && value !== null) return Object.entries(flat(value as Told, `${prefix}${key}.`));
      return [[prefix + key, value]];
    }),
  );
}

/** Lists become objects with the keys 0, 1, 2. */
export const numbered = (data: Told): Told =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Array.isArray(value) ? { ...value } : value]));
