import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "./textFile.ts";

test("UTF-8 with a mark and without", () => {
  assert.equal(textOf(new TextEncoder().encode("Zürich")), "Zürich");
  assert.equal(textOf(new TextEncoder().encode("\ufeffZürich")), "Zürich");
});

test("UTF-16 by its mark", () => {
  assert.equal(textOf(new Uint8Array([0xff, 0xfe, 0x61, 0, 0xfc, 0])), "aü");
  assert.equal(textOf(new Uint8Array([0xfe, 0xff, 0, 0x61, 0, 0xfc])), "aü");
});

test("what is no text", () => {
  assert.equal(textOf(new Uint8Array([0x89, 0x50, 0x4e, 0x47])), null);
  assert.equal(textOf(new Uint8Array([0x61, 0, 0x62])), null);
});
