import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { startTestCollector } from "../support/collector.ts";
import { ENDPOINT, HOST, needs, oneEvent } from "../support/launched-client.ts";
import { eventsIn, runPlace } from "../support/run-command.ts";

/** A program in some language that sends events to the endpoint (its first argument), each of the others as a body. */
interface Client {
  readonly name: string;
  readonly needs: { skip: false | string };
  /** Names of the events it is to send. */
  readonly sends: readonly string[];
  /** Writes what it needs into the folder, builds it, and gives the command. */
  command(folder: string): readonly string[];
}

const PYTHON: readonly (readonly [module: string, send: string])[] = [
  ["urllib.request", "urllib.request.urlopen(urllib.request.Request(url, data=body)).read()"],
  ["requests", "requests.post(url, data=body).raise_for_status()"],
  ["httpx", "httpx.post(url, content=body).raise_for_status()"],
];

const JAVA = `
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
public class Send {
  public static void main(String[] args) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(args[0])).POST(HttpRequest.BodyPublishers.ofString(args[1])).build();
    if (HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode() != 200) System.exit(2);
    HttpURLConnection connection = (HttpURLConnection) URI.create(args[0]).toURL().openConnection();
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.getOutputStream().write(args[2].getBytes(StandardCharsets.UTF_8));
    if (connection.getResponseCode() != 200) System.exit(3);
  }
}`;

const GO = `package main

import (
	"net/http"
	"os"
	"strings"
)

func main() {
	answer, err := http.Post(os.Args[1], "application/json", strings.NewReader(os.Args[2]))
	if err != nil {
		panic(err)
	}
	if answer.StatusCode != 200 {
		os.Exit(2)
	}
}
`;

const CSHARP = `using System.Net.Http;
var answer = await new HttpClient().PostAsync(args[0], new StringContent(args[1]));
return answer.IsSuccessStatusCode ? 0 : 2;
`;

/** Runs a compiler, outside waymark; what it says shows in the failure. */
function build(folder: string, command: string, ...args: string[]): void {
  const { status, stderr, stdout, error } = spawnSync(command, args, { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, `${error ?? ""}${stdout}${stderr}`);
}

function file(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const CLIENTS: readonly Client[] = [
  {
    name: "curl",
    needs: needs("curl", "--version"),
    sends: ["curl"],
    command: () => ["curl", "-sS", "--fail", "--data-binary", oneEvent("curl"), ENDPOINT],
  },
  ...PYTHON.map(
    ([module, send]): Client => ({
      name: `Python's ${module}`,
      needs: needs("python3", "-c", `import ${module}`),
      sends: [module],
      command: (folder) => {
        const script = `import sys, ${module}\nurl, body = sys.argv[1], sys.argv[2].encode()\n${send}\n`;
        return ["python3", file(folder, "send.py", script), ENDPOINT, oneEvent(module)];
      },
    }),
  ),
  {
    name: "Java's HttpClient and HttpURLConnection",
    needs: needs("java", "--list-modules"),
    sends: ["HttpClient", "HttpURLConnection"],
    command: (folder) => {
      const source = file(folder, "Send.java", JAVA);
      return ["java", source, ENDPOINT, oneEvent("HttpClient"), oneEvent("HttpURLConnection")];
    },
  },
  {
    name: "Go's net/http",
    needs: needs("go", "version"),
    sends: ["go"],
    command: (folder) => {
      build(folder, "go", "build", "-o", "send", file(folder, "send.go", GO));
      return [join(folder, "send"), ENDPOINT, oneEvent("go")];
    },
  },
  {
    name: ".NET's HttpClient",
    needs: needs("dotnet", "--version"),
    sends: ["dotnet"],
    command: (folder) => {
      const [major] = spawnSync("dotnet", ["--version"], { encoding: "utf8" }).stdout.split(".");
      const properties = `<OutputType>Exe</OutputType><TargetFramework>net${major}.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings>`;
      file(
        folder,
        "send.csproj",
        `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>${properties}</PropertyGroup></Project>`,
      );
      file(folder, "Program.cs", CSHARP);
      build(folder, "dotnet", "build", "-o", "built");
      return ["dotnet", join(folder, "built", "send.dll"), ENDPOINT, oneEvent("dotnet")];
    },
  },
  {
    name: "Ruby's Net::HTTP",
    needs: needs("ruby", "-rnet/http", "-e", "1"),
    sends: ["ruby"],
    command: () => [
      "ruby",
      "-rnet/http",
      "-e",
      "Net::HTTP.post(URI(ARGV[0]), ARGV[1]).value",
      ENDPOINT,
      oneEvent("ruby"),
    ],
  },
];

for (const client of CLIENTS) {
  test(`waymark run -- CMD is all that ${client.name} needs`, client.needs, async (t: TestContext) => {
    const place = runPlace(t);
    const collector = await startTestCollector(t, place.cwd, [HOST]);
    const markers = client.sends.map((name) => `  - { event: ${JSON.stringify(name)} }\n`).join("");
    place.file("captured.yaml", `waymark: 1\nscenario: captured\nmarkers:\n${markers}`);
    const capture = ["--map", `${HOST}=127.0.0.1:${collector.port}`, "--upstream-ca", collector.caFile];
    const grading = ["-n", "1", "--markers", ".", "-s", "captured"];
    const said = await place.run(...capture, ...grading, "--", ...client.command(place.cwd));
    assert.equal(said.code, 0, said.stdout + said.stderr);
    const [folder = ""] = place.runFolders();
    assert.deepEqual(
      eventsIn(folder).map(({ name }) => name),
      client.sends,
    );
    assert.equal(collector.received.length, client.sends.length, "it reached its own collector too");
  });
}
