import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "./planSteps.ts";
import { MOST_REFUSED, rehearse } from "./rehearsal.ts";

function step(ref: string, path: string): Step {
  const operation = { op: "create" as const, path, body: {}, ref };
  return { ref, family: "pools", line: 1, file: "", what: ref, isManaged: false, operation };
}

const STEPS = [
  step("s1", "/subnets"),
  step("s2", "/subnets"),
  step("p1", "/subnets/$s1/pools"),
  step("p2", "/subnets/$s2/pools"),
  step("p3", "/subnets/$s2/pools"),
];

// A server that refuses some, by the name of each.
function server(wrong: readonly string[]) {
  const asked: string[] = [];
  const attempt = async (some: readonly Step[]) => {
    asked.push(some.map(({ ref }) => ref).join(" "));
    const index = some.findIndex(({ ref }) => wrong.includes(ref));
    return index < 0 ? null : { index, message: `no ${some[index]?.ref}` };
  };
  return { asked, attempt };
}

test("where nothing is refused one try does", async () => {
  const { asked, attempt } = server([]);
  const found = await rehearse(STEPS, attempt);
  assert.deepEqual([found.refused, found.isWhole, asked.length], [[], true, 1]);
});

test("every refusal is found, and what stands on one is left out", async () => {
  const { asked, attempt } = server(["s1", "p1", "p3"]);
  const found = await rehearse(STEPS, attempt);
  assert.deepEqual(
    found.refused.map(({ step, message }) => [step?.ref, message]),
    [
      ["s1", "no s1"],
      ["p3", "no p3"],
    ],
  );
  assert.deepEqual([...found.gone], ["s1", "p1", "p3"]);
  assert.deepEqual(asked, ["s1 s2 p1 p2 p3", "s2 p2 p3", "s2 p2"]);
  assert.ok(found.isWhole);
});

test("many are tried in parts", async () => {
  const { asked, attempt } = server(["p2"]);
  const parts: string[] = [];
  const found = await rehearse(STEPS, attempt, (done, of) => parts.push(`${done}/${of}`), 3);
  assert.equal(found.refused.length, 1);
  assert.deepEqual(asked, ["s1 s2 p1", "s2 p2 p3", "s2 p3"]);
  assert.deepEqual(parts, ["0/2", "1/2"]);
});

test("what is refused as a whole ends it, and so do too many", async () => {
  const whole = await rehearse(STEPS, async () => ({ index: null, message: "no" }));
  assert.deepEqual([whole.refused, whole.isWhole], [[{ step: null, message: "no" }], false]);
  const many = Array.from({ length: MOST_REFUSED + 9 }, (_, at) => step(`n${at}`, "/prefixes"));
  const found = await rehearse(many, server(many.map(({ ref }) => ref)).attempt);
  assert.deepEqual([found.refused.length, found.isWhole], [MOST_REFUSED, false]);
});
