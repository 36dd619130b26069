const REQUEST_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [^ \t\r\n]+ HTTP\/1\.[01]\r?\n/;
/** The same as far as it has come. */
const REQUEST_LINE_BEGUN =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*(?: [^ \t\r\n]*(?: (?:H|HT|HTT|HTTP|HTTP\/1?|HTTP\/1\.[01]?\r?)?)?)?$/;
const STATUS_LINE_START = "HTTP/1.";

/** True while the start of a head, cut anywhere, can be that of a request of HTTP/1.x; of nothing, too. */
export function couldBeRequest(start: string): boolean {
  return (start.includes("\n") ? REQUEST_LINE : REQUEST_LINE_BEGUN).test(start);
}

/** The same of a response. */
export function couldBeResponse(start: string): boolean {
  return start.length < STATUS_LINE_START.length
    ? STATUS_LINE_START.startsWith(start)
    : start.startsWith(STATUS_LINE_START);
}
