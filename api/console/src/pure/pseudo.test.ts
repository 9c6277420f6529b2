import assert from "node:assert/strict";
import { test } from "node:test";
import { pseudo, pseudoOf } from "./pseudo.ts";

test("a text is marked, accented and longer", () => {
  assert.equal(pseudo("Search"), "[Ŝéárçh ~~]");
  assert.equal(pseudo(""), "");
});

test("what is put into a text stays as it is", () => {
  const texts = pseudoOf({ of: (name: string, count: number) => `Delete ${name} and ${count} more` });
  assert.equal(texts.of("east", 3), "[Délété east áñd 3 móré ~~~~~]");
  assert.equal(texts.of("", 3), "[Délété  áñd 3 móré ~~~~]");
});

test("a value that is part of another stays too", () => {
  const texts = pseudoOf({ both: (one: string, other: string) => `${one} in ${other}` });
  assert.equal(texts.both("one", "one-two"), "[one íñ one-two ~~~]");
});

test("what holds texts keeps its names", () => {
  assert.deepEqual(pseudoOf({ a: { b: "no" } }), { a: { b: "[ñó ~]" } });
});
