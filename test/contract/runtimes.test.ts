import assert from "node:assert/strict";
import test from "node:test";
import { RUNTIMES } from "../../proxy/launch/runtimes/index.ts";

const CONTEXT = {
  proxyUrl: "http://127.0.0.1:8899",
  certFile: "/ca dir/waymark-ca.pem",
  bundleFile: "/ca dir/waymark-bundle.pem",
  javaTrustStore: "/ca dir/waymark-bundle.jks",
  preloadFile: "/opt/way mark/preload.cjs",
};

test("no two runtimes set the same variable, and each has a name of its own", () => {
  const names = RUNTIMES.flatMap((runtime) => runtime.variables({ ...CONTEXT, base: {} }).map(([name]) => name));
  assert.deepEqual(names, [...new Set(names)]);
  assert.equal(new Set(RUNTIMES.map(({ name }) => name)).size, RUNTIMES.length);
});

for (const runtime of RUNTIMES) {
  test(`${runtime.name}: setting its variables twice changes nothing, and the context is left alone`, () => {
    const base = {
      NODE_OPTIONS: "--max-old-space-size=512",
      JAVA_TOOL_OPTIONS: "-Xmx1g",
      NODE_EXTRA_CA_CERTS: "/corp.pem",
    };
    const before = JSON.stringify(base);
    const once = Object.fromEntries(runtime.variables({ ...CONTEXT, base }));
    const twice = Object.fromEntries(runtime.variables({ ...CONTEXT, base: { ...base, ...once } }));
    assert.deepEqual(twice, once);
    assert.equal(JSON.stringify(base), before);
  });

  test(`${runtime.name}: values are plain text of one line, under names that every shell takes`, () => {
    for (const [name, value] of runtime.variables({ ...CONTEXT, javaTrustStore: undefined, base: {} })) {
      assert.match(name, /^[A-Za-z_][A-Za-z0-9_]*$/);
      assert.doesNotMatch(value, /[\r\n\0]|undefined/);
    }
  });
}
