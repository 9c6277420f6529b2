import assert from "node:assert/strict";
import { test } from "node:test";
import { createStore } from "./store.ts";

test("who watches a store is told until he stops", () => {
  const store = createStore(1);
  const told: number[] = [];
  const stop = store.subscribe(() => told.push(store.get()));
  store.set(2);
  stop();
  store.set(3);
  assert.deepEqual(told, [2]);
  assert.equal(store.get(), 3);
});
