import assert from "node:assert/strict";
import { test } from "node:test";
import type { Planned } from "./plan.ts";
import { portionsOf, rehearsalsOf, withDependents, withIds } from "./portions.ts";

function step(ref: string, path: string, body: Record<string, unknown> = {}): Planned {
  const operation = { op: "create" as const, path, body, ref };
  return { ref, family: "reservations", line: 1, label: ref, managed: false, key: {}, operation };
}

const STEPS = [
  step("c", "/client-classes"),
  step("p", "/prefixes"),
  step("s", "/subnets", { prefix_id: "$p", cidr: "10.0.0.0/24" }),
  step("r1", "/subnets/$s/reservations", { class_id: "$c" }),
  step("r2", "/subnets/$s/reservations"),
  step("r3", "/subnets/$s/reservations"),
  step("o", "/reservations/$r3/options"),
];

function refs(portions: Planned[][]): string[] {
  return portions.map((portion) => portion.map(({ ref }) => ref).join(" "));
}

test("a request takes so many operations, in their order", () => {
  assert.deepEqual(refs(portionsOf(STEPS, 3)), ["c p s", "r1 r2 r3", "o"]);
  assert.deepEqual(portionsOf([]), []);
  assert.equal(portionsOf(STEPS).length, 1);
});

test("a request takes so many octets", () => {
  const large = Array.from({ length: 4 }, (_, at) =>
    step(`l${at}`, "/prefixes", { note: "x".repeat(700_000) }),
  );
  assert.deepEqual(refs(portionsOf(large)), ["l0 l1", "l2 l3"]);
  assert.deepEqual(refs(rehearsalsOf(large)), ["l0 l1", "l2 l3"]);
});

test("what is tried by itself has all that it stands on", () => {
  assert.deepEqual(refs(rehearsalsOf(STEPS, 4)), ["c p s r1", "p s r2 r3", "p s r3 o"]);
  assert.deepEqual(refs(rehearsalsOf(STEPS)), ["c p s r1 r2 r3 o"]);
});

test("what falls with a step", () => {
  assert.deepEqual([...withDependents(STEPS, "r3")], ["r3", "o"]);
  assert.deepEqual([...withDependents(STEPS, "p")].sort(), ["o", "p", "r1", "r2", "r3", "s"]);
});

test("what is made already goes by its id", () => {
  const ids = new Map([
    ["s", "S"],
    ["c", "C"],
  ]);
  const named = step("r", "/subnets/$s/reservations", { class_id: "$c", prefix_id: "$p", description: "$s" });
  assert.deepEqual(withIds(named.operation, ids), {
    op: "create",
    path: "/subnets/S/reservations",
    body: { class_id: "C", prefix_id: "$p", description: "$s" },
    ref: "r",
  });
});
