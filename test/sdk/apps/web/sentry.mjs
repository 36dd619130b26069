import * as Sentry from "@sentry/browser";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  Sentry.init({
    dsn: "https://0123456789abcdef0123456789abcdef@o4500000000000001.ingest.us.sentry.io/4500000000000002",
  });
  for (const { name, data } of EVENTS) Sentry.captureMessage(name, { level: "info", extra: data });
  const isFlushed = await Sentry.flush(20_000);
  return isFlushed && "flush() resolved with true";
};
