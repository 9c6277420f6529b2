import assert from "node:assert/strict";
import { test } from "node:test";
import { newKey } from "./key.ts";

test("each key is another, of 32 hex digits", () => {
  const keys = new Set(Array.from({ length: 100 }, newKey));
  assert.equal(keys.size, 100);
  for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
});
