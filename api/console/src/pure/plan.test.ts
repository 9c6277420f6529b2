import assert from "node:assert/strict";
import { test } from "node:test";
import { type Planned, readPlan } from "./plan.ts";

const GOOD: Planned = {
  ref: "prefixes-1",
  family: "prefixes",
  line: 1,
  label: "prefixes 10.0.0.0/8",
  managed: false,
  key: { cidr: "10.0.0.0/8" },
  operation: { op: "create", path: "/prefixes", body: { cidr: "10.0.0.0/8" }, ref: "prefixes-1" },
};
const PLAN = { version: 1, format: "csv", objects: [GOOD], warnings: [] };

function faultOf(plan: unknown) {
  const read = readPlan(typeof plan === "string" ? plan : JSON.stringify(plan));
  return "fault" in read ? read.fault : null;
}

test("a plan is read with its objects, statements and the subnets of the server", () => {
  const there = { ...GOOD, ref: "there-1", operation: { ...GOOD.operation, ref: "there-1" } };
  const read = readPlan(JSON.stringify({ ...PLAN, there: [there], statements: { read: 4, warned: 1 } }));
  assert.ok("plan" in read);
  assert.deepEqual(read.plan.objects, [GOOD]);
  assert.deepEqual(read.plan.there, [there]);
  assert.deepEqual(read.plan.statements, { read: 4, warned: 1 });
});

test("other files and other versions are refused", () => {
  assert.deepEqual(faultOf("{"), { code: "json" });
  for (const none of [[], 7, { operations: [] }, { ...PLAN, objects: {} }, { ...PLAN, version: "1" }]) {
    assert.equal(faultOf(none)?.code, "plan", JSON.stringify(none));
  }
  assert.deepEqual(faultOf({ ...PLAN, version: undefined }), { code: "older" });
  assert.deepEqual(faultOf({ ...PLAN, version: 2 }), { code: "newer", number: 2 });
});

test("an incomplete object or warning is named by its number", () => {
  const wrong = [
    { ...GOOD, ref: "$x", operation: { ...GOOD.operation, ref: "$x" } },
    GOOD,
    { ...GOOD, ref: "b" },
    { ...GOOD, ref: "b", line: "1", operation: { ...GOOD.operation, ref: "b" } },
    { ...GOOD, ref: "b", operation: { ...GOOD.operation, ref: "b", op: "delete" } },
    { ...GOOD, ref: "b", key: undefined, operation: { ...GOOD.operation, ref: "b" } },
    null,
  ];
  for (const each of wrong) {
    const found = faultOf({ ...PLAN, objects: [GOOD, each] });
    assert.deepEqual(found, { code: "object", number: 2 }, JSON.stringify(each));
  }
  const warnings = [{ line: 1, reason: 7, what: "x", why: "y" }];
  assert.deepEqual(faultOf({ ...PLAN, warnings }), { code: "warning", number: 1 });
});
