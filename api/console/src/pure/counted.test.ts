import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, networkOf } from "./counted.ts";

test("a page says that there are more", () => {
  assert.equal(counted({ items: [1, 2], next_cursor: null }), "2");
  assert.equal(counted({ items: [1, 2], next_cursor: "x" }), "2+");
});

test("one address alone is a network of either family", () => {
  assert.equal(networkOf("192.0.2.1"), "192.0.2.1/32");
  assert.equal(networkOf("2001:db8::1"), "2001:db8::1/128");
});
