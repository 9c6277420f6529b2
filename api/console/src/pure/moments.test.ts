import assert from "node:assert/strict";
import { test } from "node:test";
import { elsewhere, inZone } from "./moments.ts";

test("a moment in a zone reads from the year down", () => {
  assert.equal(inZone("2026-07-01T12:00:05.000Z", "UTC"), "2026-07-01 12:00:05");
  assert.equal(inZone("2026-07-01T12:00:05.000Z", "Europe/Berlin"), "2026-07-01 14:00:05");
});

test("the other zones do not repeat the chosen one", () => {
  const zones = elsewhere("2026-07-01T12:00:00Z", "Asia/Tokyo").map(({ zone }) => zone);
  assert.ok(zones.includes("UTC"));
  assert.ok(!zones.includes("Asia/Tokyo"));
});
