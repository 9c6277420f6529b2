import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Plan, type Planned, readPlan } from "./plan.ts";
import { type Row, stepsOf, type There } from "./planSteps.ts";

const SOURCES = join(import.meta.dirname, "../../../../tests/importers/sources");
const TENANT = "t1";

function planOf(objects: readonly Planned[]): Plan {
  return { format: "csv", statements: { read: 0, warned: 0 }, objects, warnings: [] };
}

const PLAN = planOf([
  { ref: "c1", family: "client-classes", line: 1, fields: { name: "phones", priority: 1 } },
  { ref: "p1", family: "prefixes", line: 2, fields: { cidr: "10.1.0.0/24" } },
  { ref: "s1", family: "subnets", line: 2, inside: "p1", fields: { cidr: "10.1.0.0/24", name: "desks" } },
  {
    ref: "o1",
    family: "pools",
    line: 3,
    inside: "s1",
    fields: { start_ip: "10.1.0.9", end_ip: "10.1.0.20", class: "phones" },
  },
  {
    ref: "r1",
    family: "reservations",
    line: 4,
    inside: "s1",
    fields: { mac: "02-0-0-0-0-1", ip: "10.1.0.5" },
  },
  { ref: "r2", family: "reservations", line: 5, fields: { mac: "02:00:00:00:00:02", ip: null } },
  { ref: "q1", family: "options", line: 6, inside: "s1", fields: { code: 6, payload: { hex: "00" } } },
  { ref: "q2", family: "options", line: 7, inside: "c1", fields: { code: 67, payload: { string: "x" } } },
  { ref: "q3", family: "options", line: 8, fields: { code: 42, payload: { hex: "00" } } },
  { ref: "a1", family: "assignments", line: 9, inside: "s1", fields: { ip: "10.1.0.2", hostname: "gw" } },
]);

test("all of a plan is made on an empty server, each in its place", () => {
  const { missing, kept, lost } = stepsOf(PLAN, {}, TENANT);
  assert.deepEqual([kept.length, lost.length], [0, 0]);
  const made = missing.map(({ operation }) => [operation.path, operation.body]);
  assert.deepEqual(made, [
    ["/client-classes", { name: "phones", priority: 1, tenant_id: "t1" }],
    ["/prefixes", { cidr: "10.1.0.0/24", tenant_id: "t1" }],
    ["/subnets", { cidr: "10.1.0.0/24", name: "desks", prefix_id: "$p1" }],
    ["/subnets/$s1/pools", { start_ip: "10.1.0.9", end_ip: "10.1.0.20", class_id: "$c1" }],
    ["/subnets/$s1/reservations", { mac: "02-0-0-0-0-1", ip: "10.1.0.5" }],
    ["/reservations", { mac: "02:00:00:00:00:02", ip: null, tenant_id: "t1" }],
    ["/subnets/$s1/options", { code: 6, payload: { hex: "00" } }],
    ["/client-classes/$c1/options", { code: 67, payload: { string: "x" } }],
    ["/global-options", { code: 42, payload: { hex: "00" }, tenant_id: "t1" }],
    ["/assignments", { ip: "10.1.0.2", hostname: "gw", subnet_id: "$s1" }],
  ]);
  assert.deepEqual(
    missing.map(({ isManaged }) => Number(isManaged)).reduce((sum, each) => sum + each, 0),
    2,
  );
});

const THERE: There = {
  prefixes: [{ id: "P", cidr: "10.0.0.0/8" }],
  subnets: [{ id: "S", cidr: "10.1.0.0/24", prefix_id: "P" }],
  "client-classes": [{ id: "C", name: "phones" }],
  pools: [
    { id: "O", subnet_id: "S", start_ip: "10.1.0.9", end_ip: "10.1.0.20", prefix: null, class_id: "C" },
  ],
  reservations: [
    { id: "R", subnet_id: "S", mac: "02:00:00:00:00:01", ip: "10.1.0.5", duid: null },
    { id: "R2", subnet_id: null, mac: "02:00:00:00:00:02", ip: null },
  ],
  options: [
    { id: "Q", subnet_id: "S", pool_id: null, code: 6, family: 4, vendor_class: null },
    { id: "Q3", subnet_id: null, code: 42, family: 4, vendor_class: null },
  ] as Row[],
};

test("what is there already stays as it is, and what is missing stands in it", () => {
  const { missing, kept } = stepsOf(PLAN, THERE, TENANT);
  assert.deepEqual(
    missing.map(({ ref, operation }) => [ref, operation.path, operation.body.subnet_id]),
    [
      ["q2", "/client-classes/C/options", undefined],
      ["a1", "/assignments", "S"],
    ],
  );
  assert.equal(kept.length, PLAN.objects.length - 2);
});

test("the same again makes nothing", () => {
  const assignments = [{ id: "A", subnet_id: "S", ip: "10.1.0.2" }];
  const options = [...(THERE.options ?? []), { id: "Q2", class_id: "C", code: 67, family: 4 }];
  assert.deepEqual(stepsOf(PLAN, { ...THERE, options, assignments }, TENANT).missing, []);
});

test("a class that is nowhere takes with it what names it", () => {
  const below = { ref: "q9", family: "options", line: 9, inside: "o1", fields: { code: 6 } } as const;
  const { missing, lost } = stepsOf(planOf([...PLAN.objects.slice(1, 5), below]), {}, TENANT);
  assert.deepEqual(
    lost.map(({ planned, named }) => [planned.ref, named]),
    [
      ["o1", "phones"],
      ["q9", null],
    ],
  );
  assert.deepEqual(
    missing.map(({ ref }) => ref),
    ["p1", "s1", "r1"],
  );
});

test("plans of the importers refer to nothing that is not made before", () => {
  for (const name of ["kea4", "kea6", "isc4", "windows", "table"]) {
    const read = readPlan(readFileSync(join(SOURCES, `${name}.plan.json`), "utf8"));
    assert.ok("plan" in read);
    const { missing, lost } = stepsOf(read.plan, {}, TENANT);
    assert.deepEqual(lost, [], name);
    assert.equal(missing.length, read.plan.objects.length);
    const made = new Set<string>();
    for (const { operation } of missing) {
      const named = `${operation.path} ${Object.values(operation.body).join(" ")}`.matchAll(
        /\$([a-z-]+-\d+)/g,
      );
      for (const [, ref = ""] of named) assert.ok(made.has(ref), `${name}: ${ref}`);
      made.add(operation.ref);
    }
  }
});
