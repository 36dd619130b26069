import assert from "node:assert/strict";
import test from "node:test";
import { createScope, type Decision, type ScopeOptions } from "../../../../proxy/pipeline/scope.ts";
import { WaymarkError } from "../../../../proxy/record/fault.ts";

const NONE: ScopeOptions = { known: ["*.events.data.microsoft.com"], hosts: [], all: false, bypass: [] };

const cases: { options: Partial<ScopeOptions>; host: string; port?: number; is: Decision }[] = [
  { options: {}, host: "mobile.events.data.microsoft.com", is: "intercept" },
  { options: {}, host: "EU-Mobile.Events.Data.Microsoft.com.", is: "intercept" },
  { options: {}, host: "events.data.microsoft.com", is: "tunnel" },
  { options: {}, host: "mobile.events.data.microsoft.com.evil.example", is: "tunnel" },
  { options: {}, host: "example.com", is: "tunnel" },
  { options: { all: true }, host: "example.com", is: "intercept" },
  { options: { all: true, bypass: ["*.bank.example"] }, host: "www.bank.example", is: "bypass" },
  { options: { hosts: ["a.example"], bypass: ["a.example"] }, host: "a.example", is: "bypass" },
  { options: { hosts: ["t.example"] }, host: "t.example", is: "intercept" },
  { options: { hosts: ["t.example"] }, host: "txexample", is: "tunnel" },
  { options: { hosts: ["127.0.0.1:8443"] }, host: "127.0.0.1", port: 8443, is: "intercept" },
  { options: { hosts: ["127.0.0.1:8443"] }, host: "127.0.0.1", port: 8444, is: "tunnel" },
  { options: { hosts: ["127.0.0.1"] }, host: "127.0.0.1", port: 9, is: "intercept" },
  { options: { hosts: ["[::1]:8443"] }, host: "::1", port: 8443, is: "intercept" },
  { options: { hosts: ["[::1]:8443"] }, host: "[::1]", port: 1, is: "tunnel" },
  { options: { hosts: ["::1"] }, host: "::1", port: 1, is: "intercept" },
  { options: { hosts: ["*"] }, host: "anything.example", is: "intercept" },
  { options: { hosts: ["*:4318"] }, host: "collector", port: 4318, is: "intercept" },
  { options: { bypass: ["*:4318"], all: true }, host: "collector", port: 4318, is: "bypass" },
  { options: { bypass: ["*.events.data.microsoft.com"] }, host: "eu.events.data.microsoft.com", is: "bypass" },
  { options: { hosts: ["fe80:*"] }, host: "fe80::1", is: "intercept" },
  { options: { hosts: ["*::1"] }, host: "::1", is: "intercept" },
];

for (const { options, host, port = 443, is } of cases) {
  test(`${JSON.stringify(options)} gives ${is} for ${host}:${port}`, () => {
    assert.equal(createScope({ ...NONE, ...options })({ host, port }), is);
  });
}

/** Well formed to the eye, but no request could ever match one of them. */
const HOPELESS = ["*:https", "https://*", "a.example:", "a.example,b.example", "b\u00fccher.example", "a=b", "a:b"];

test("a pattern that is none is refused with its code", () => {
  for (const pattern of [
    "",
    "https://a.example",
    "a.example/x",
    "a b",
    "a.example:0",
    "a.example:70000",
    "[::1",
    ...HOPELESS,
  ]) {
    assert.throws(
      () => createScope({ ...NONE, hosts: [pattern] }),
      (error) => error instanceof WaymarkError && error.code === "WM_USAGE_HOST",
      pattern,
    );
  }
});
