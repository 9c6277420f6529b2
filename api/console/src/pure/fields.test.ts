import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, changesOf, type FieldKind, typedOf } from "./fields.ts";

const fields: FieldKind[] = [
  { name: "name" },
  { name: "port", kind: "number", nullable: true },
  { name: "allowed_cidrs", kind: "list" },
  { name: "enabled", kind: "check" },
];

test("a new object leaves what is empty to the API", () => {
  const typed = { name: " ns ", port: "", allowed_cidrs: "10.0.0.0/8, 2001:db8::/32\n", enabled: "false" };
  assert.deepEqual(bodyOf(fields, typed), {
    name: "ns",
    allowed_cidrs: ["10.0.0.0/8", "2001:db8::/32"],
    enabled: false,
  });
});

test("an edit sends what changed; what was emptied is null where it may be", () => {
  const before = typedOf(fields, { name: "ns", port: 53, allowed_cidrs: ["10.0.0.0/8"], enabled: true });
  assert.deepEqual(before, { name: "ns", port: "53", allowed_cidrs: "10.0.0.0/8", enabled: "true" });
  assert.deepEqual(changesOf(fields, before, before), {});
  assert.deepEqual(changesOf(fields, { ...before, port: "", allowed_cidrs: "", name: "" }, before), {
    name: "",
    port: null,
    allowed_cidrs: [],
  });
});

test("what is no number is left for the API to refuse", () => {
  assert.deepEqual(bodyOf(fields, { port: "many" }), { port: "many" });
  assert.deepEqual(bodyOf(fields, { port: "5353" }), { port: 5353 });
});

test("JSON is shown over lines and sent as what it says", () => {
  const match: FieldKind[] = [{ name: "match", kind: "json", nullable: true }];
  assert.equal(typedOf(match, { match: { option: 93 } }).match, '{\n  "option": 93\n}');
  assert.deepEqual(bodyOf(match, { match: '{"option": 93}' }), { match: { option: 93 } });
  assert.deepEqual(bodyOf(match, { match: "{option" }), { match: "{option" });
  assert.deepEqual(changesOf(match, { match: "" }, { match: "{}" }), { match: null });
});
