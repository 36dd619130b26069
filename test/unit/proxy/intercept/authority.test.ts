import assert from "node:assert/strict";
import test from "node:test";
import { formatEndpoint, parseAbsoluteTarget, parseConnectTarget } from "../../../../proxy/intercept/authority.ts";

test("CONNECT targets: what is one, and what is not", () => {
  const read = (target: string): string | undefined => {
    const endpoint = parseConnectTarget(target);
    return endpoint === undefined ? undefined : formatEndpoint(endpoint);
  };
  for (const [target, expected] of [
    ["example.com:443", "example.com:443"],
    ["EXAMPLE.com:8443", "example.com:8443"],
    ["[::1]:443", "[::1]:443"],
    ["[2001:DB8::1]:1", "[2001:db8::1]:1"],
    ["[fe80::1%25eth0]:1", "[fe80::1]:1"],
    ["https://example.com:443", "example.com:443"],
    ["https://example.com", "example.com:443"],
    ["http://[::1]:80/", "[::1]:80"],
    ["under_score.example:1", "under_score.example:1"],
    ["example.com", undefined],
    ["example.com:", undefined],
    ["example.com:0", undefined],
    ["example.com:65536", undefined],
    ["example.com:443x", undefined],
    ["2001:db8::1:443", undefined],
    ["::1:443", undefined],
    ["[::1]", undefined],
    ["[nonsense]:443", undefined],
    ["[1.2.3.4]:443", undefined],
    [":443", undefined],
    ["a@b:443", undefined],
    ["../../x:443", undefined],
    ["https://example.com:443/path", undefined],
    ["", undefined],
  ] as const) {
    assert.equal(read(target), expected, target);
  }
});

test("absolute targets: host, port and path as sent", () => {
  const read = (url: string): unknown => {
    const target = parseAbsoluteTarget(url);
    return target === undefined ? undefined : [target.scheme, target.host, target.port, target.path];
  };
  for (const [url, expected] of [
    ["http://a.example", ["http", "a.example", 80, "/"]],
    ["http://a.example?x=1", ["http", "a.example", 80, "/?x=1"]],
    ["HTTP://A.example:81/B//c?%7e#f", ["http", "a.example", 81, "/B//c?%7e"]],
    ["https://a.example/x", ["https", "a.example", 443, "/x"]],
    ["ws://[::1]:8/x", ["http", "::1", 8, "/x"]],
    ["wss://a.example/", ["https", "a.example", 443, "/"]],
    ["http://user:p@ss@a.example/", ["http", "a.example", 80, "/"]],
    ["http://a.example:/", ["http", "a.example", 80, "/"]],
    ["http://::1/", undefined],
    ["http:///x", undefined],
    ["http://a.example:99999/", undefined],
    ["/x", undefined],
    ["*", undefined],
    ["ftp://a.example/", undefined],
  ] as const) {
    assert.deepEqual(read(url), expected, url);
  }
});
