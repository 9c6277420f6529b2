import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "./remarks.ts";

const record = { name: "www", type: "MX", data: "10 mail.", reason: "the target does not exist in the zone" };

test("a remark names its record as far as the answer does", () => {
  assert.deepEqual(linesOf([record, { name: "@", type: "SOA", reason: "a merge keeps the zone's own" }]), {
    lines: [
      { about: "www MX 10 mail.", why: "the target does not exist in the zone" },
      { about: "@ SOA", why: "a merge keeps the zone's own" },
    ],
    more: 0,
  });
});

test("of many remarks the first are listed and the others counted", () => {
  const { lines, more } = linesOf(new Array(7).fill(record), 5);
  assert.deepEqual([lines.length, more], [5, 2]);
  assert.deepEqual(linesOf([]), { lines: [], more: 0 });
});
