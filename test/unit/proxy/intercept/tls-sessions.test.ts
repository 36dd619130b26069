import assert from "node:assert/strict";
import test from "node:test";
import { TlsSessions } from "../../../../proxy/intercept/tls.ts";

const session = (text: string): Buffer => Buffer.from(text);

test("a session is taken up once, the youngest first, by its own key only", () => {
  const sessions = new TlsSessions();
  for (const text of ["1", "2", "3"]) sessions.put("a", session(text));
  sessions.put("b", session("4"));
  const taken = [1, 2, 3, 4].map(() => String(sessions.take("a")));
  assert.deepEqual(taken, ["3", "2", "1", "undefined"]);
  assert.equal(String(sessions.take("b")), "4");
});

test("one server has 64 at most and all have 512, the eldest give way", () => {
  const sessions = new TlsSessions();
  for (let number = 0; number < 100; number += 1) sessions.put("a", session(String(number)));
  const taken: string[] = [];
  for (let one = sessions.take("a"); one !== undefined; one = sessions.take("a")) taken.push(String(one));
  assert.deepEqual([taken.length, taken[0], taken.at(-1)], [64, "99", "36"]);
  for (let number = 0; number < 600; number += 1) sessions.put(`host ${number}`, session(String(number)));
  const left = Array.from({ length: 600 }, (_, number) => sessions.take(`host ${number}`)).filter(Boolean);
  assert.deepEqual([left.length, String(left[0])], [512, "88"]);
});
