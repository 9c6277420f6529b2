import assert from "node:assert/strict";
import { test } from "node:test";
import { dueIn, isTold, pauseAfter } from "./patience.ts";

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

test("an event that comes just after a reading may be of before it", () => {
  const readAt = Date.parse("2026-03-04T12:00:00.500Z");
  assert.ok(isTold("2026-03-04T12:00:00.400Z", readAt, readAt + 300));
  assert.ok(!isTold("2026-03-04T12:00:00.600Z", readAt, readAt + 300));
  assert.ok(!isTold("2026-03-04T12:00:00.400Z", readAt, readAt + 2000));
});
