import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, type Passes, untried } from "./passes.ts";

type Made = { dry_run: boolean; next_cursor: string | null; made: number };

function after(...answers: Made[]): Passes<Made> {
  return answers.reduce((passes, answer) => answered(passes, answer), untried<Made>());
}

test("it is tried to its end before it is done", () => {
  const first = { dry_run: true, next_cursor: "c1", made: 1 };
  assert.deepEqual(after(first), { phase: "try", cursor: "c1", answers: [first] });
  const last = { dry_run: true, next_cursor: null, made: 2 };
  assert.deepEqual(after(first, last), { phase: "do", cursor: null, answers: [first, last] });
});

test("what was done takes the place of what was tried", () => {
  const tried = { dry_run: true, next_cursor: null, made: 3 };
  const some = { dry_run: false, next_cursor: "c2", made: 1 };
  assert.deepEqual(after(tried, some), { phase: "do", cursor: "c2", answers: [some] });
  const rest = { dry_run: false, next_cursor: null, made: 2 };
  assert.deepEqual(after(tried, some, rest), { phase: "done", cursor: null, answers: [some, rest] });
});
