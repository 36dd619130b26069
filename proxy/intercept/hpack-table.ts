import type { RawHeaders } from "../record/exchange.ts";

/** Header names that the static table holds without a value, from its index 15 on; one has one (RFC 7541 appendix A). */
const NAMES =
  "accept-charset accept-encoding accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control content-disposition content-encoding content-language content-length content-location content-range content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate";

/** HPACK's static table (RFC 7541 appendix A); its index 1 is the first entry here. */
export const STATIC_TABLE: RawHeaders = [
  [":authority", ""],
  [":method", "GET"],
  [":method", "POST"],
  [":path", "/"],
  [":path", "/index.html"],
  [":scheme", "http"],
  [":scheme", "https"],
  ...["200", "204", "206", "304", "400", "404", "500"].map((status) => [":status", status] as const),
  ...NAMES.split(" ").map((name) => [name, name === "accept-encoding" ? "gzip, deflate" : ""] as const),
];
