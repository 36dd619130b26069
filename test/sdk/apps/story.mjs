// What every app tells its telemetry service: three events with properties of all kinds.

export const USER = "ann-1";

export const EVENTS = [
  {
    name: "chat_open",
    data: { chat: "general", count: 3, muted: false, title: "Žluťoučký kůň 日本語 🎉", at: { x: 1, y: 2.5 } },
  },
  { name: "message_sent", data: { chat: "general", length: 1234, tags: ["a", "b"], text: 'one\n"two" & <three>' } },
  { name: "chat_close", data: { chat: "general", duration: 1500.25 } },
];

/** Nested properties under one name each, for services that take scalars only: `at.x`. */
export function flat(data, prefix = "") {
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => {
      if (Array.isArray(value)) return [[prefix + key, JSON.stringify(value)]];
      return typeof value === "object" ? Object.entries(flat(value, `${prefix}${key}.`)) : [[prefix + key, value]];
    }),
  );
}

/** Every value as text, for services that take texts only. */
export function texts(data) {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

/** The app's last word: whether its SDK said that all was delivered, and in which words. */
export function say(isDelivered, words) {
  process.stdout.write(`${JSON.stringify({ delivered: isDelivered === true, words })}\n`);
}
