import assert from "node:assert/strict";
import { test } from "node:test";
import { moved, scrollFor, windowOf } from "./window.ts";

test("the window holds what is in sight and a margin, within the rows there are", () => {
  assert.deepEqual(windowOf(0, 300, 30, 1000, 5), { first: 0, end: 15 });
  assert.deepEqual(windowOf(3000, 300, 30, 1000, 5), { first: 95, end: 115 });
  assert.deepEqual(windowOf(29_700, 300, 30, 1000, 5), { first: 985, end: 1000 });
  assert.deepEqual(windowOf(9000, 300, 30, 0), { first: 0, end: 0 });
});

test("a row in sight moves nothing, others come to the nearest edge", () => {
  assert.equal(scrollFor(3, 0, 300, 30, 30), null);
  assert.equal(scrollFor(1, 60, 300, 30, 30), 30);
  assert.equal(scrollFor(20, 0, 300, 30, 30), 360);
});

test("keys stay within the rows", () => {
  assert.equal(moved("ArrowUp", 0, 5, 3), 0);
  assert.equal(moved("PageDown", 1, 5, 3), 4);
  assert.equal(moved("End", 1, 5, 3), 4);
  assert.equal(moved("x", 1, 5, 3), null);
  assert.equal(moved("Home", -1, 0, 3), null);
});
