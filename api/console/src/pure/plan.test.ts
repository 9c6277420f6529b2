import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isManaged, labelOf, readPlan } from "./plan.ts";

const SOURCES = join(import.meta.dirname, "../../../../tests/importers/sources");

function faultOf(plan: unknown) {
  const read = readPlan(typeof plan === "string" ? plan : JSON.stringify(plan));
  return "fault" in read ? read.fault : null;
}

test("every plan that the importers write is read", () => {
  const plans = globSync("*.plan.json", { cwd: SOURCES });
  assert.ok(plans.length > 5);
  for (const name of plans) {
    const text = readFileSync(join(SOURCES, name), "utf8");
    const read = readPlan(text);
    assert.ok("plan" in read, name);
    assert.deepEqual(read.plan.objects, JSON.parse(text).objects);
    assert.deepEqual(read.plan.statements, JSON.parse(text).statements);
  }
});

test("what is no plan is told", () => {
  assert.deepEqual(faultOf("{"), { code: "json", number: 0 });
  for (const none of [
    [],
    7,
    { operations: [] },
    { format: "kea4", objects: {} },
    { format: 1, objects: [] },
  ]) {
    assert.equal(faultOf(none)?.code, "plan", JSON.stringify(none));
  }
});

test("an object that is none is named by its number", () => {
  const good = { ref: "prefixes-1", family: "prefixes", line: 1, fields: { cidr: "10.0.0.0/8" } };
  const wrong = [
    { ...good, ref: "$x" },
    { ...good, ref: "prefixes-1" },
    { ...good, ref: "b", family: "tokens" },
    { ...good, ref: "b", line: "1" },
    { ...good, ref: "b", fields: [] },
    { ...good, ref: "b", inside: "subnets-9" },
    null,
  ];
  for (const each of wrong) {
    const found = faultOf({ format: "csv", objects: [good, each], warnings: [] });
    assert.deepEqual(found, { code: "object", number: 2 }, JSON.stringify(each));
  }
  const warnings = [{ line: 1, reason: "lost", what: "x", why: "y" }];
  assert.deepEqual(faultOf({ format: "csv", objects: [good], warnings }), { code: "warning", number: 1 });
});

test("names, and what counts toward the limit", () => {
  const reservation = { family: "reservations", fields: { mac: "m", ip: "10.0.0.9" } } as const;
  assert.equal(labelOf(reservation), "reservations 10.0.0.9");
  assert.equal(labelOf({ family: "options", fields: {} }), "options");
  assert.ok(isManaged(reservation));
  assert.ok(isManaged({ family: "reservations", fields: { mac: "m" } }));
  assert.ok(isManaged({ family: "reservations", fields: { ip: null, prefix: "2001:db8::/56" } }));
  assert.ok(!isManaged({ family: "reservations", fields: { ip: null } }));
  assert.ok(!isManaged({ family: "subnets", fields: { cidr: "10.0.0.0/24" } }));
});
