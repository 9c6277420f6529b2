import assert from "node:assert/strict";
import { test } from "node:test";
import type { Planned } from "./plan.ts";
import { MOST_REFUSED, type Passed, type Refusal, refusalsOf } from "./refusals.ts";

function planned(ref: string, path = "/prefixes"): Planned {
  const operation = { op: "create" as const, path, body: {}, ref };
  return { ref, family: "prefixes", line: 1, label: ref, managed: false, key: {}, operation };
}

// A server that refuses these.
function refusing(...refs: string[]) {
  return async (some: readonly Planned[]): Promise<Refusal | Passed> => {
    const index = some.findIndex(({ ref }) => refs.includes(ref));
    const warnings = some.map(({ ref }) => (ref === "w" ? ["a warning"] : []));
    const leases = { count: 2, named: [String(some[0]?.ref)] };
    return index < 0 ? { warnings, leases } : { index, field: "cidr", message: `no ${some[index]?.ref}` };
  };
}

const PLAN = [planned("a"), planned("b", "/subnets/$a/pools"), planned("w"), planned("c")];

test("every refusal is found, and what depends on one is not sent", async () => {
  const found = await refusalsOf(PLAN, refusing("a", "b", "c"));
  assert.deepEqual(
    found.refused.map(({ planned, field, message }) => [planned?.ref, field, message]),
    [
      ["a", "cidr", "no a"],
      ["c", "cidr", "no c"],
    ],
  );
  assert.deepEqual([...found.gone], ["a", "b", "c"]);
  assert.equal(found.isWhole, true);
});

test("warnings are reported once, also of an object that two parts contain, and leases of all parts", async () => {
  const plan = [planned("w"), planned("x", "/subnets/$w/pools"), planned("y", "/subnets/$w/pools")];
  const parts: number[] = [];
  const found = await refusalsOf(plan, refusing(), (done) => parts.push(done), 2);
  assert.deepEqual(parts, [0, 1]);
  assert.deepEqual(
    found.remarks.map(({ planned, message }) => [planned.ref, message]),
    [["w", "a warning"]],
  );
  assert.deepEqual(found.leases, { count: 4, named: ["w", "w"] });
});

test("a refusal of the request as a whole ends the check, as do too many", async () => {
  const whole = await refusalsOf(PLAN, async () => ({ index: null, field: "", message: "down" }));
  assert.deepEqual(whole.refused, [{ planned: null, field: "", message: "down" }]);
  assert.equal(whole.isWhole, false);
  const many = Array.from({ length: MOST_REFUSED + 9 }, (_, at) => planned(`n${at}`));
  const found = await refusalsOf(many, refusing(...many.map(({ ref }) => ref)));
  assert.deepEqual([found.refused.length, found.isWhole], [MOST_REFUSED, false]);
});
