// The length of files, and tests of what is pure. tests/test_import_law.py has the order of the rooms.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const SOURCES = import.meta.dirname;
const MOST_LINES = 400;

const GENERATED = ["api/schema.d.ts", "pure/optionRows.ts"];
const files = globSync("**/*.{ts,tsx}", { cwd: SOURCES }).filter((file) => !GENERATED.includes(file));

test("files stay short", () => {
  const long = files.filter(
    (file) => readFileSync(join(SOURCES, file), "utf8").split("\n").length > MOST_LINES,
  );
  assert.deepEqual(long, []);
});

test("what is pure has a test beside it", () => {
  const pure = files.filter((file) => /^pure\/[\w]+\.ts$/.test(file));
  const untested = pure.filter((file) => !files.includes(file.replace(/\.ts$/, ".test.ts")));
  assert.deepEqual(untested, []);
});
