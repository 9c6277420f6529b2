import assert from "node:assert/strict";
import { test } from "node:test";
import { collectionOf, differences, restoration } from "./trail.ts";

const before = { id: "1", name: "old", tags: ["a"], updated_at: "x" };
const after = { id: "1", name: "new", tags: ["a"], updated_at: "y", site: "hall" };

test("only what differs is told, also what one side lacks", () => {
  assert.deepEqual(differences(before, after), [
    { field: "name", before: "old", after: "new" },
    { field: "updated_at", before: "x", after: "y" },
    { field: "site", before: undefined, after: "hall" },
  ]);
  assert.equal(differences(null, after).length, 5);
});

test("what the service keeps itself is not brought back", () => {
  assert.deepEqual(restoration(before, after), { name: "old" });
  assert.deepEqual(restoration(null, after), {});
  assert.deepEqual(restoration(before, null), {});
});

test("a kind of object stands in a collection", () => {
  assert.deepEqual(["subnet", "prefix", "client_class", "dns_zone"].map(collectionOf), [
    "subnets",
    "prefixes",
    "client-classes",
    "dns-zones",
  ]);
});
