/** What stands in the place of a redacted value. */
export const REDACTED = "[redacted]";

/**
 * Names whose values are secrets, in headers, queries and bodies of the known formats; compared without case, `-`, `_`
 * and `.`. A value under `token` is one only beside an event's properties (see `isSecretKey`).
 */
const SECRET_NAMES = [
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "ikey",
  "instrumentationkey",
  "apikey",
  "xapikey",
  "apisecret",
  "writekey",
  "tokenauth",
  "authtoken",
  "accesstoken",
  "refreshtoken",
  "idtoken",
  "clientsecret",
  "password",
  "ddapikey",
  "ddclienttoken",
  "sentrykey",
  "statsigapikey",
  "sdkkey",
  "xrollbaraccesstoken",
  "bugsnagapikey",
] as const;
const SECRETS: ReadonlySet<string> = new Set(SECRET_NAMES);

/** Parents under which `token` is the project's key (Mixpanel, PostHog) rather than a word of the app. */
const TOKEN_PARENTS: ReadonlySet<string> = new Set(["properties", "data", "envelope"]);

/** Each name with an optional `-`, `_` or `.` wherever one can stand. */
const NAME_IN_TEXT = [
  "(?:proxy-)?authorization",
  "(?:set-)?cookie",
  "i_?key",
  "instrumentation_?key",
  "(?:x-|dd-|statsig-|bugsnag-)?api[-_]?(?:key|secret)",
  "write[-_]?key",
  "token[-_]auth",
  "auth[-_]?token",
  "access[-_]?token",
  "refresh[-_]?token",
  "id[-_]token",
  "client[-_]?secret",
  "password",
  "dd[-_]?client[-_]?token",
  "sentry[-_]key",
  "sdk[-_]?key",
  "x-rollbar-access-token",
].join("|");

const ANY_NAME = new RegExp(NAME_IN_TEXT, "i");
/** `"api_key":"value"`, also inside a JSON string, where each quote has backslashes before it. */
const JSON_MEMBER = new RegExp(`((\\\\{0,7}")(?:${NAME_IN_TEXT})\\2\\s*:\\s*\\2)([^"\\\\]+)`, "gi");
/** `api_key=value` in a query or form. */
const QUERY = new RegExp(`((?:^|[?&;\\s"'])(?:${NAME_IN_TEXT})=)([^&#;\\s"'\\\\]+)`, "gi");
/** `Authorization: Bearer value` up to the end of its line. */
const HEADER = new RegExp(`((?:^|\\n|\\r|\\\\n)(?:${NAME_IN_TEXT})[ \\t]*:[ \\t]*)([^\\r\\n\\\\]+)`, "gi");

const MAX_NAME_LENGTH = 40;
const MAX_KNOWN_KEYS = 4_096;
/** Answers given before: events have the same few keys over and over. */
const KNOWN_KEYS = new Map<string, boolean>();

/** True when a value under this key is a secret; `parent` is the key of the object it stands in, "" at the top. */
export function isSecretKey(key: string, parent: string): boolean {
  if (key === "token" || key === "$token") return TOKEN_PARENTS.has(parent);
  if (key.length > MAX_NAME_LENGTH) return false;
  const known = KNOWN_KEYS.get(key);
  if (known !== undefined) return known;
  const isSecret = SECRETS.has(key.toLowerCase().replace(/[-_.]/g, ""));
  if (KNOWN_KEYS.size >= MAX_KNOWN_KEYS) KNOWN_KEYS.clear(); // keys made of data would fill the memory
  KNOWN_KEYS.set(key, isSecret);
  return isSecret;
}

/** Redacts what a text spells out as a secret: JSON members, query and form values, header lines. Linear in its length. */
export function redactText(text: string): { readonly text: string; readonly count: number } {
  // each of the three spellings has one of these, which are found far sooner than a name
  if (!text.includes("=") && !text.includes(":")) return { text, count: 0 };
  if (!ANY_NAME.test(text)) return { text, count: 0 };
  return redactNamed(text);
}

function redactNamed(text: string): { readonly text: string; readonly count: number } {
  let count = 0;
  const redact = (whole: string, before: string, secret: string): string => {
    if (secret === REDACTED) return whole;
    count++;
    return before + REDACTED;
  };
  const changed = text
    .replace(JSON_MEMBER, (whole: string, before: string, _quote: string, secret: string) =>
      redact(whole, before, secret),
    )
    .replace(QUERY, redact)
    .replace(HEADER, redact);
  return { text: changed, count };
}
