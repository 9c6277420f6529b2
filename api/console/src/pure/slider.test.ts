import assert from "node:assert/strict";
import { test } from "node:test";
import { momentAt, positionOf, STRETCHES } from "./slider.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");

test("the end is now, the beginning a stretch before", () => {
  assert.equal(momentAt(STRETCHES.day, "day", NOW), "2026-11-25T12:00:00.000Z");
  assert.equal(momentAt(0, "day", NOW), "2026-11-24T12:00:00.000Z");
});

test("a moment has its position, and those outside the nearest", () => {
  assert.equal(positionOf("2026-11-25T11:00:00Z", "day", NOW), 1380);
  assert.equal(positionOf("2020-01-01T00:00:00Z", "week", NOW), 0);
  assert.equal(positionOf("noon", "week", NOW), STRETCHES.week);
});
