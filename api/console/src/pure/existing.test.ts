import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, type Row } from "./existing.ts";
import type { Fields, Plan, Planned } from "./plan.ts";

function planned(ref: string, family: string, path: string, key: Fields, body: Fields = key): Planned {
  const operation = { op: "create" as const, path, body, ref };
  return { ref, family, line: 1, label: ref, managed: false, key, operation };
}

function planOf(objects: readonly Planned[], there: readonly Planned[] = []): Plan {
  return { format: "kea4", statements: { read: 0, warned: 0 }, objects, there, warnings: [], badRows: [] };
}

const PREFIX = planned("p", "prefixes", "/prefixes", { cidr: "10.1.0.0/16" }, { tenant_id: "$tenant" });
const SUBNET = planned("s", "subnets", "/subnets", { cidr: "10.1.2.0/24" }, { name: "a", prefix_id: "$p" });
const RESERVATION = planned("r", "reservations", "/subnets/$s/reservations", {
  subnet_id: "$s",
  mac: "02:00:00:00:00:01",
  duid: null,
});
const OPTION = planned(
  "o",
  "options",
  "/reservations/$r/options",
  { reservation_id: "$r", subnet_id: null, code: 6 },
  { code: 6, payload: { a: 1, b: [2] } },
);

async function compared(plan: Plan, lists: Readonly<Record<string, readonly Row[]>>) {
  const read: string[] = [];
  const found = await compare(plan, "T", async (family) => {
    read.push(family);
    return lists[family] ?? [];
  });
  const refs = (of: readonly { ref: string }[]) => of.map(({ ref }) => ref).join(" ");
  return { ...found, wantedRefs: refs(found.wanted), keptRefs: refs(found.kept), read };
}

test("everything is wanted by an empty tenant, and lists that can hold nothing of it are not read", async () => {
  const found = await compared(planOf([PREFIX, SUBNET, RESERVATION, OPTION]), {});
  assert.equal(found.wantedRefs, "p s r o");
  assert.deepEqual(found.read, ["prefixes", "subnets"]);
  assert.equal(found.wanted[0]?.operation.body.tenant_id, "T");
  assert.equal(found.wanted[1]?.operation.body.prefix_id, "$p");
});

test("existing objects are kept, and new ones refer to them by id", async () => {
  const found = await compared(planOf([PREFIX, SUBNET, RESERVATION, OPTION]), {
    prefixes: [{ id: "P", cidr: "10.0.0.0/8" }], // a larger one
    subnets: [{ id: "S", cidr: "10.1.2.0/24", name: "a", prefix_id: "P" }],
    reservations: [{ id: "R0", subnet_id: "S9", mac: "02:00:00:00:00:01", duid: null }],
  });
  assert.deepEqual([found.keptRefs, found.wantedRefs], ["p s", "r o"]);
  assert.equal(found.wanted[0]?.operation.path, "/subnets/S/reservations");
  assert.deepEqual(found.differences, []);
});

test("an existing object with other values is reported with its fields", async () => {
  const lists = {
    prefixes: [{ id: "P", cidr: "10.1.0.0/16" }],
    subnets: [{ id: "S", cidr: "10.1.2.0/24", name: "b", prefix_id: "P" }],
    reservations: [{ id: "R", subnet_id: "S", mac: "02:00:00:00:00:01" }],
    options: [{ id: "O", reservation_id: "R", subnet_id: null, code: 6, payload: { b: [2], a: 1 } }],
  };
  const found = await compared(planOf([PREFIX, SUBNET, RESERVATION, OPTION]), lists);
  assert.deepEqual([found.keptRefs, found.wantedRefs], ["p s r o", ""]);
  assert.deepEqual(
    found.differences.map((each) => [each.planned.ref, each.fields]),
    [["s", ["name"]]],
  );
});

test("a subnet that the server lacks, and a missing class, take their objects along", async () => {
  const there = [PREFIX, SUBNET];
  const pool = planned("q", "pools", "/pools", { subnet_id: "$x" }, { class_id: "$phones" });
  const found = await compared(planOf([RESERVATION, OPTION, pool], there), {});
  assert.equal(found.wantedRefs, "");
  assert.deepEqual(
    found.lost.map((each) => [each.planned.ref, each.missing]),
    [
      ["p", null],
      ["s", null],
      ["r", "s"],
      ["o", "r"],
      ["q", "phones"],
    ],
  );
  const lists = { prefixes: [{ id: "P", cidr: "10.1.0.0/16" }], subnets: [{ id: "S", cidr: "10.1.2.0/24" }] };
  const held = await compared(planOf([RESERVATION], there), lists);
  assert.deepEqual([held.keptRefs, held.wantedRefs], ["", "r"]);
});
