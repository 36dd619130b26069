import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { ENDPOINT, needs, oneEvent, stageLaunch } from "../support/launched-client.ts";

const NODE_CLIENT = fileURLToPath(new URL("../support/launched-node.js", import.meta.url));

/** Other Nodes to try the preload with, as paths separated by the system's list separator. */
const OTHER_NODES = (process.env["WAYMARK_NODES"] ?? "").split(":").filter((path) => path !== "");

for (const node of [process.execPath, ...OTHER_NODES]) {
  const { stdout: version } = spawnSync(node, ["--version"], { encoding: "utf8" });
  test(
    `every way in which a Node program sends goes through the proxy (Node ${version.trim()})`,
    needs("curl", "--version"),
    async (t) => {
      const stage = await stageLaunch(t);
      const { end, said } = await stage.run([node, NODE_CLIENT, ENDPOINT]);
      assert.doesNotMatch(said, /not ok|waymark:/);
      assert.deepEqual(end, { kind: "exited", code: 0 }, said);
      const sent = [
        "https.request",
        "required https",
        "named import",
        "agent: false",
        "explicit agent",
        "explicit agent again",
      ];
      const more = [
        "own roots",
        "old agent",
        "own createSocket",
        "own createConnection",
        "own createConnection again",
        "fetch",
        "fetch again",
        "worker",
        "worker fetch",
      ];
      assert.deepEqual(await stage.events(), [...sent, ...more, "spawn", "execFileSync", "Node child"]);
    },
  );
}

test("options of the user's own for Node are kept, and a path with spaces is no trouble", async (t) => {
  const stage = await stageLaunch(t);
  const own = join(stage.folder, "my own script.cjs");
  writeFileSync(own, "globalThis.ownScript = process.env.HTTPS_PROXY ?? 'none';");
  const given = stage.prepared.env["NODE_OPTIONS"] ?? "";
  const program = `if (!globalThis.ownScript.startsWith("http://")) process.exit(9); fetch(${JSON.stringify(ENDPOINT)}, { method: "POST", body: ${JSON.stringify(oneEvent("own"))} })`;
  const { end, said } = await stage.run([process.execPath, "-e", program], {
    NODE_OPTIONS: `--require "${own}" ${given}`,
  });
  assert.deepEqual(end, { kind: "exited", code: 0 }, said);
  assert.deepEqual(await stage.events(), ["own"]);
});

test("curl goes through the proxy and trusts it", needs("curl", "--version"), async (t) => {
  const stage = await stageLaunch(t);
  const { end, said } = await stage.run(["curl", "-sS", "--fail", "--data-binary", oneEvent("curl"), ENDPOINT]);
  assert.deepEqual(end, { kind: "exited", code: 0 }, said);
  assert.deepEqual(await stage.events(), ["curl"]);
});

const PYTHON: readonly (readonly [module: string, send: string])[] = [
  [
    "urllib.request",
    "urllib.request.urlopen(urllib.request.Request(url, data=body, headers={'Content-Type': 'application/json'})).read()",
  ],
  ["requests", "requests.post(url, data=body).raise_for_status()"],
  ["httpx", "httpx.post(url, content=body).raise_for_status()"],
];

for (const [module, send] of PYTHON) {
  test(
    `Python's ${module} goes through the proxy and trusts it`,
    needs("python3", "-c", `import ${module}`),
    async (t) => {
      const stage = await stageLaunch(t);
      const script = `import sys, ${module}\nurl, body = sys.argv[1], sys.argv[2].encode()\n${send}\n`;
      const { end, said } = await stage.run(["python3", "-c", script, ENDPOINT, oneEvent(module)]);
      assert.deepEqual(end, { kind: "exited", code: 0 }, said);
      assert.deepEqual(await stage.events(), [module]);
    },
  );
}

const JAVA = `
import java.net.URI;
import java.net.HttpURLConnection;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
public class Send {
  public static void main(String[] args) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(args[0])).version(HttpClient.Version.HTTP_1_1).POST(HttpRequest.BodyPublishers.ofString(args[1])).build();
    HttpClient client = HttpClient.newBuilder().proxy(java.net.ProxySelector.getDefault()).build();
    if (client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() != 200) System.exit(2);
    HttpURLConnection connection = (HttpURLConnection) URI.create(args[0]).toURL().openConnection();
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.getOutputStream().write(args[2].getBytes(StandardCharsets.UTF_8));
    if (connection.getResponseCode() != 200) System.exit(3);
  }
}`;

test(
  "Java's HttpClient and HttpURLConnection go through the proxy and trust it",
  needs("java", "--list-modules"),
  async (t) => {
    const stage = await stageLaunch(t);
    const file = join(stage.folder, "Send.java");
    writeFileSync(file, JAVA);
    const { end, said } = await stage.run([
      "java",
      file,
      ENDPOINT,
      oneEvent("HttpClient"),
      oneEvent("HttpURLConnection"),
    ]);
    assert.deepEqual(end, { kind: "exited", code: 0 }, said);
    assert.deepEqual(await stage.events(), ["HttpClient", "HttpURLConnection"]);
  },
);
