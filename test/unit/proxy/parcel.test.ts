import assert from "node:assert/strict";
import test from "node:test";
import type { Captured } from "../../../proxy/backlog.ts";
import { pack, unpack } from "../../../proxy/parcel.ts";
import { exchangeOf } from "../../support/requests.ts";

/** As it arrives: a copy made by the algorithm that carries messages between threads. */
function sent(captured: readonly Captured[], passedOver: (index: number) => void = () => undefined): Captured[] {
  const parcel = pack(captured);
  return unpack(structuredClone(parcel, { transfer: [parcel.bodies] }), passedOver);
}

/** Bodies as plain bytes, whatever kind of view they are. */
function plain(captured: readonly Captured[]) {
  return captured.map((one) => {
    if (one.kind !== "exchange") return one;
    const { body, response, ...known } = one.exchange;
    const answer = response === undefined ? {} : { response: { ...response, body: [...response.body] } };
    return { ...known, body: [...body], ...answer };
  });
}

const take = (exchange: ReturnType<typeof exchangeOf>): Captured => ({
  kind: "exchange",
  exchange,
  notRecorded: undefined,
});

test("exchanges, answers and losses arrive whole and in order", () => {
  const answered = {
    ...exchangeOf({ body: "with an answer" }),
    status: 503,
    run: "run 1",
    response: {
      status: 503,
      headers: [["Content-Type", "text/plain"]] as const,
      body: Buffer.from("busy"),
      truncated: true,
    },
  };
  const odd = exchangeOf({
    target: '/a"\\\u0000?q=\u00fc',
    headers: [
      ["X-Twice", "1"],
      ["x-twice", "\u00ff\ud800"],
      ["__proto__", ""],
    ],
    body: Buffer.from([0, 255, 10, 13]),
  });
  const captured: Captured[] = [
    take(exchangeOf({ body: "" })),
    { kind: "answer", id: "a-1", status: 200 },
    take({ ...odd, truncated: true }),
    { kind: "answer", id: "a-2", status: undefined },
    { kind: "loss", exchanges: 3, why: "too much" },
    take(answered),
    take({ ...answered, arrivedAt: answered.arrivedAt + 86_400_000, truncated: true }),
    take({ ...exchangeOf({ body: "earlier" }), arrivedAt: answered.arrivedAt - 7, run: "run 2" }),
    take({ ...exchangeOf({ body: "answered at once" }), status: 200 }),
    { kind: "answer", id: "a-3", status: 0 },
    take(exchangeOf({ body: "last" })),
  ];
  assert.deepEqual(plain(sent(captured)), plain(captured));
  assert.deepEqual(sent([]), []);
});

test("a status that is no number is none", () => {
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, undefined, 404].map((status): Captured => {
    return { kind: "answer", id: "a", status };
  });
  const statuses = sent(odd).map((one) => (one.kind === "answer" ? one.status : "no answer"));
  assert.deepEqual(statuses, [undefined, undefined, undefined, 404]);
});

test("an exchange that may be passed over says so by its place", () => {
  const places: number[] = [];
  const captured: Captured[] = [
    take(exchangeOf({ body: "a" })),
    { kind: "exchange", exchange: exchangeOf({ body: "b" }), notRecorded: () => assert.fail("that is the near end's") },
  ];
  for (const one of sent(captured, (index) => places.push(index))) {
    if (one.kind === "exchange") one.notRecorded?.();
  }
  assert.deepEqual(places, [1]);
});

test("requests that have a head's fields in common keep what they do not share", () => {
  const headers = [["Content-Type", "application/json"]] as const;
  const first = { ...exchangeOf({ body: "1", target: "/a" }), headers };
  const captured = [
    first,
    { ...first, target: "/b" },
    { ...first, method: "PUT" },
    { ...first, host: "other.test" },
    { ...first, port: 8443 },
    { ...first, scheme: "http" as const },
    first,
  ].map(take);
  assert.deepEqual(plain(sent(captured)), plain(captured));
  const same = [first, { ...first, id: "x-2" }, { ...first, id: "x-3" }].map(take);
  assert.ok(pack(same).heads.length < 2 * pack([take(first)]).heads.length, "the head stands there once");
});
