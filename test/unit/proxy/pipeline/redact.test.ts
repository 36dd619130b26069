import assert from "node:assert/strict";
import test from "node:test";
import { redact } from "../../../../proxy/pipeline/redact.ts";
import { parseRedactPath } from "../../../../proxy/pipeline/redact-path.ts";
import { WaymarkError } from "../../../../proxy/record/fault.ts";
import type { JsonObject } from "../../../../proxy/record/json.ts";
import { at, recordsOf } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";

const cases: { what: string; event: JsonObject; redacted: JsonObject; count: number }[] = [
  {
    what: "keys of the known formats",
    event: { iKey: "o:1", envelope: { api_key: "k", writeKey: "w" }, data: { token: "t", apikey: 5 } },
    redacted: {
      iKey: "[redacted]",
      envelope: { api_key: "[redacted]", writeKey: "[redacted]" },
      data: { token: "[redacted]", apikey: "[redacted]" },
    },
    count: 5,
  },
  {
    what: "header names, also as objects and lists",
    event: { headers: { Authorization: { scheme: "Bearer", value: "x" }, "X-Api-Key": ["a", "b"], accept: "*/*" } },
    redacted: {
      headers: {
        Authorization: { scheme: "[redacted]", value: "[redacted]" },
        "X-Api-Key": ["[redacted]", "[redacted]"],
        accept: "*/*",
      },
    },
    count: 4,
  },
  {
    what: "query values in texts",
    event: { data: { url: "https://a.example/x?api_secret=s1&page=2&sentry_key=s2#top" } },
    redacted: { data: { url: "https://a.example/x?api_secret=[redacted]&page=2&sentry_key=[redacted]#top" } },
    count: 2,
  },
  {
    what: "JSON inside texts, at any depth of quoting",
    event: { data: { one: '{"api_key":"k1","x":1}', two: '{"in":"{\\"writeKey\\":\\"k2\\"}"}' } },
    redacted: { data: { one: '{"api_key":"[redacted]","x":1}', two: '{"in":"{\\"writeKey\\":\\"[redacted]\\"}"}' } },
    count: 2,
  },
  {
    what: "header lines in texts",
    event: { body: "POST / HTTP/1.1\r\nAuthorization: Bearer abc.def\r\nCookie: a=b; c=d\r\nAccept: */*\r\n" },
    redacted: { body: "POST / HTTP/1.1\r\nAuthorization: [redacted]\r\nCookie: [redacted]\r\nAccept: */*\r\n" },
    count: 2,
  },
];

for (const { what, event, redacted, count } of cases) {
  test(`redacts ${what}`, () => assert.deepEqual(redact(event, []), { value: redacted, count }));
}

test("leaves alone what only looks like a secret", () => {
  const event = {
    token: "a word of the app",
    data: { token: 512, cookies: true, keyboard: "qwerty", author: "ann", text: "the password was wrong" },
    apikey: null,
    Cookie: false,
    writeKey: "",
  };
  assert.equal(redact(event, []).value, event);
});

test("finds a key among the bytes of a binary body", () => {
  const body = Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from("?apikey=secret1&x"), Buffer.from([0x80])]);
  const [record = {}] = recordsOf(exchangeOf({ body }));
  const kept = Buffer.from(String(record["body_base64"]), "base64").toString("latin1");
  assert.equal(kept, "\u00ff\u0000?apikey=[redacted]&x\u0080");
  assert.equal(at(record, "$capture", "redacted"), 1);
});

const paths: { path: string; event: JsonObject; redacted: JsonObject; count: number }[] = [
  {
    path: "data.user.email",
    event: { data: { user: { email: "a@b", id: 1 } } },
    redacted: { data: { user: { email: "[redacted]", id: 1 } } },
    count: 1,
  },
  {
    path: "data.items[*].card",
    event: { data: { items: [{ card: 1 }, { x: 2 }, { card: { n: 3 } }] } },
    redacted: { data: { items: [{ card: "[redacted]" }, { x: 2 }, { card: "[redacted]" }] } },
    count: 2,
  },
  {
    path: "data.list[1]",
    event: { data: { list: ["a", "b"] } },
    redacted: { data: { list: ["a", "[redacted]"] } },
    count: 1,
  },
  {
    path: 'data["a.b"]',
    event: { data: { "a.b": true, a: { b: 1 } } },
    redacted: { data: { "a.b": "[redacted]", a: { b: 1 } } },
    count: 1,
  },
  { path: "data.__proto__.x", event: { data: { x: 1 } }, redacted: { data: { x: 1 } }, count: 0 },
];

for (const { path, event, redacted, count } of paths) {
  test(`redacts the user's path ${path}`, () => {
    assert.deepEqual(redact(event, [parseRedactPath(path)]), { value: redacted, count });
  });
}

test("a path that is none is refused with its code", () => {
  for (const path of ["", ".data", "data..x", "data[", "data[x]", "$capture.seq", "a b]"]) {
    assert.throws(
      () => parseRedactPath(path),
      (error) => error instanceof WaymarkError && error.code === "WM_USAGE_REDACT",
      path,
    );
  }
});

test("records say how many values were redacted", () => {
  const body = '{"name":"a","iKey":"o:secret","data":{"url":"/x?apikey=secret"}}';
  const [record = {}] = recordsOf(exchangeOf({ target: "/OneCollector/1.0/?apikey=secret", body }));
  assert.equal(at(record, "$capture", "redacted"), 2);
  assert.equal(at(record, "$capture", "path"), "/OneCollector/1.0/");
  assert.ok(!JSON.stringify(record).includes("secret"));
});
