import assert from "node:assert/strict";
import { test } from "node:test";
import { optionTable } from "./optionTable.ts";

test("the table says code, name, kind and whether it is a list", () => {
  assert.deepEqual(
    optionTable[4].find(({ code }) => code === 6),
    {
      code: 6,
      name: "domain-name-servers",
      kind: "address",
      array: true,
    },
  );
  for (const family of [4, 6] as const) {
    assert.ok(optionTable[family].length > 80);
    assert.ok(
      optionTable[family].every(
        ({ code, name, kind }) => code > 0 && name !== "" && /^[a-z0-9-]+$/.test(kind),
      ),
    );
  }
});
