import assert from "node:assert/strict";
import test from "node:test";
import { didYouMean, nearest } from "../../../proxy/record/near.ts";

test("a typo finds its word", () => {
  assert.deepEqual(nearest("withn", ["within", "without", "where"])[0], "within");
  assert.deepEqual(nearest("simple_collab_swich", ["simple_collab_switch", "checkout"]), ["simple_collab_switch"]);
  assert.equal(nearest("mtach", ["match", "batch"])[0], "match");
});

test("what is like nothing gets no suggestion", () => {
  assert.deepEqual(nearest("zebra", ["within", "event"]), []);
  assert.equal(didYouMean("zebra", ["within"]), "");
});

test("case does not count as a difference", () => {
  assert.deepEqual(nearest("data.chatID", ["data.chatId", "data.other"])[0], "data.chatId");
});
