// The rooms of README.md: who may import whom, and how long a file may be.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const SOURCES = import.meta.dirname;
const MOST_LINES = 400;
const MAY: Record<string, readonly string[]> = {
  pure: [],
  text: ["pure", "session/preferences.ts"],
  api: ["pure", "session/token.ts", "session/code.ts"],
  session: ["pure", "api", "parts", "text"],
  parts: ["pure", "api", "text", "session"],
  frame: ["pure", "api", "text", "session", "parts", "screens/all.ts"],
};
const FOR_SCREENS = ["pure", "api", "text", "session", "parts", "screens/screen.ts"];

const GENERATED = ["api/schema.d.ts", "pure/optionRows.ts"];
const files = globSync("**/*.{ts,tsx}", { cwd: SOURCES }).filter((file) => !GENERATED.includes(file));

function imports(file: string): string[] {
  const text = readFileSync(join(SOURCES, file), "utf8");
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1] ?? "");
  return found.map((path) => normalize(join(dirname(file), path)));
}

function permitted(file: string): readonly string[] | null {
  const [room = "", screen = ""] = file.split("/");
  if (room === "screens" && file.split("/").length > 2) return [...FOR_SCREENS, `screens/${screen}`];
  const may = MAY[room];
  return may ? [...may, room] : null; // main.tsx and the files of screens/ itself bind all together
}

test("rooms import only what they may", () => {
  const wrong = files.flatMap((file) => {
    const may = permitted(file);
    if (may === null) return [];
    return imports(file)
      .filter((path) => !may.some((allowed) => path === allowed || path.startsWith(`${allowed}/`)))
      .map((path) => `${file} imports ${path}`);
  });
  assert.deepEqual(wrong, []);
});

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
