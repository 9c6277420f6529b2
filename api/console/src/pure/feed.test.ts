import assert from "node:assert/strict";
import { test } from "node:test";
import { arrive, emptyFeed, type Happened, release } from "./feed.ts";

function at(...seconds: number[]) {
  return seconds.map((second) => ({
    id: `e${second}`,
    timestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
  }));
}

function ids(events: readonly { id: string }[]): string[] {
  return events.map(({ id }) => id);
}

test("the newest stands first, and no more than so many are kept", () => {
  const feed = arrive(arrive(emptyFeed<Happened>(), at(1, 2), false, 3), at(3, 4), false, 3);
  assert.deepEqual(ids(feed.shown), ["e4", "e3", "e2"]);
});

test("what comes again is there once, and what comes late stands in its place", () => {
  const feed = arrive(arrive(emptyFeed<Happened>(), at(1, 4), false, 9), at(4, 2, 2), false, 9);
  assert.deepEqual(ids(feed.shown), ["e4", "e2", "e1"]);
});

test("what is held waits, and nothing that is shown moves", () => {
  const shown = arrive(emptyFeed<Happened>(), at(1, 2), false, 3);
  const held = arrive(arrive(shown, at(3), true, 3), at(3, 4, 5, 6), true, 3);
  assert.equal(held.shown, shown.shown);
  assert.deepEqual(ids(held.waiting), ["e6", "e5", "e4"]);
  const released = release(held, 3);
  assert.deepEqual(ids(released.shown), ["e6", "e5", "e4"]);
  assert.deepEqual(released.waiting, []);
  assert.equal(release(released, 3), released);
});

test("of one moment what came later stands first", () => {
  const same = ["a", "b"].map((id) => ({ id, timestamp: "2026-01-01T00:00:00.000Z" }));
  assert.deepEqual(ids(arrive(emptyFeed<Happened>(), same, false, 9).shown), ["b", "a"]);
});
