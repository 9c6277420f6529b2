import assert from "node:assert/strict";
import { test } from "node:test";
import { dueIn, pauseAfter } from "./patience.ts";

test("a stream is opened again soon, and seldom if that does not help", () => {
  assert.equal(pauseAfter(0, 1200, 30_000), 1200);
  assert.equal(pauseAfter(1, null, 30_000), 3000);
  assert.equal(pauseAfter(2, 1200, 30_000), 30_000);
});

test("what may be done once in a while is due at once, then after the gap", () => {
  assert.equal(dueIn(1000, undefined, 500), 0);
  assert.equal(dueIn(1000, 800, 500), 300);
  assert.equal(dueIn(2000, 800, 500), 0);
});
