import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import test from "node:test";
import { newCounts } from "../../../../proxy/intercept/counts.ts";
import { mapEndpoint } from "../../../../proxy/intercept/dial.ts";
import { upstreamProblem } from "../../../../proxy/intercept/engine.ts";
import { Links } from "../../../../proxy/intercept/links.ts";
import { OwnPorts } from "../../../../proxy/intercept/own-ports.ts";
import { Recorder } from "../../../../proxy/intercept/recorder.ts";
import type { Exchange } from "../../../../proxy/record/exchange.ts";

test("own ports are known by every spelling of this machine, and nothing else is refused", async () => {
  const own = new OwnPorts({ host: "127.0.0.1", port: 8899 }, [5053]);
  const ours = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "0",
    "127.1",
    "2130706433",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "localhost",
    "x.localhost",
    "localhost.",
  ];
  for (const host of ours) {
    assert.equal(await own.includes({ host, port: 8899 }), true, host);
    assert.equal(await own.includes({ host, port: 5053 }), true, host);
    assert.equal(await own.includes({ host, port: 8898 }), false, host);
  }
  for (const host of ["192.0.2.1", "2001:db8::1", "no-such-host.invalid", "::ffff:192.0.2.1"]) {
    assert.equal(await own.includes({ host, port: 8899 }), false, host);
  }
});

test("listening on all addresses, the machine's own ones are refused; on one, only that", async () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4");
  const host = outside?.address ?? "192.0.2.9";
  assert.equal(await new OwnPorts({ host: "0.0.0.0", port: 1 }, []).includes({ host, port: 1 }), outside !== undefined);
  assert.equal(await new OwnPorts({ host: "127.0.0.1", port: 1 }, []).includes({ host, port: 1 }), false);
  assert.equal(await new OwnPorts({ host, port: 1 }, []).includes({ host, port: 1 }), true);
  assert.equal(new OwnPorts({ host: "127.0.0.1", port: 1 }, []).includesPeer("::ffff:127.0.0.1", 1), true);
});

test("--map finds host and port before the host alone, IPv6 with or without brackets", () => {
  const to = (port: number) => ({ host: "127.0.0.1", port });
  const map = new Map([
    ["a.example", to(1)],
    ["a.example:8443", to(2)],
    ["[::1]:443", to(3)],
    ["::2", to(4)],
  ]);
  assert.deepEqual(mapEndpoint(map, { host: "a.example", port: 443 }), to(1));
  assert.deepEqual(mapEndpoint(map, { host: "a.example", port: 8443 }), to(2));
  assert.deepEqual(mapEndpoint(map, { host: "::1", port: 443 }), to(3));
  assert.deepEqual(mapEndpoint(map, { host: "::2", port: 443 }), to(4));
  assert.deepEqual(mapEndpoint(map, { host: "b.example", port: 1 }), { host: "b.example", port: 1 });
});

test("a drain cuts what is idle at once, the rest when it becomes idle or time is up", async () => {
  const links = new Links();
  const cut: string[] = [];
  const link = (name: string, busy: { is: boolean }) => {
    const entry = {
      isBusy: () => busy.is,
      cut: () => {
        cut.push(name);
        links.delete(entry);
      },
    };
    links.add(entry);
    return entry;
  };
  const late = { is: true };
  link("idle", { is: false });
  const latecomer = link("late", late);
  const draining = links.drain(60_000);
  assert.deepEqual(cut, ["idle"]);
  late.is = false;
  links.idle(latecomer);
  await draining;
  assert.deepEqual(cut, ["idle", "late"]);
  link("new but idle", { is: false });
  link("stuck", { is: true });
  await links.drain(1);
  assert.deepEqual(cut, ["idle", "late", "new but idle", "stuck"]);
});

function recorder(maxBodyBytes: number) {
  const told: string[] = [];
  const counts = newCounts();
  const made = new Recorder(
    {
      maxBodyBytes,
      onExchange: ({ body, truncated, status }: Exchange) =>
        void told.push(`${Buffer.from(body)} ${truncated} ${status}`),
      onAnswer: (_, status) => void told.push(`answer ${status}`),
    },
    counts,
  );
  return {
    told,
    counts,
    open: () => made.begin({ scheme: "https", host: "h", port: 1 }, { method: "POST", target: "/", headers: [] }),
  };
}

test("an exchange is handed on once and answered once, in that order, whatever comes first", () => {
  const room = recorder(100);
  const early = room.open();
  early.answer(413);
  early.addBody(Buffer.from("ab"));
  early.finish(true);
  early.finish(false);
  early.answer(undefined);
  early.abandon();
  assert.deepEqual(room.told.splice(0), ["ab false 413", "answer 413"]);
  const late = room.open();
  late.finish(true);
  late.answer(200);
  late.answer(500);
  assert.deepEqual(room.told.splice(0), [" false undefined", "answer 200"]);
  const gone = room.open();
  gone.addBody(Buffer.from("x"));
  gone.abandon();
  assert.deepEqual(room.told, ["x true undefined", "answer undefined"]);
  assert.equal(room.counts.requests, 3);
});

test("a body is kept up to the cap exactly, and over it the exchange says so", () => {
  for (const [pieces, kept, isCut] of [
    [["abcd"], "abcd", false],
    [["abcde"], "abcd", true],
    [["ab", "cd"], "abcd", false],
    [["abc", "de", "f"], "abcd", true],
  ] as const) {
    const room = recorder(4);
    const open = room.open();
    for (const piece of pieces) open.addBody(Buffer.from(piece));
    open.finish(true);
    assert.deepEqual(room.told, [`${kept} ${isCut} undefined`]);
  }
});

test("an upstream's problem is told in words", () => {
  assert.equal(upstreamProblem("h", Object.assign(new Error("x"), { code: "ENOTFOUND" })), "h: no such host");
  assert.equal(
    upstreamProblem("h", Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })),
    "h: connection refused",
  );
  assert.equal(upstreamProblem("h", new Error("odd")), "h: odd");
});
