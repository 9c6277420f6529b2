import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenQuote, rowsOf, separatorOf } from "./csv.ts";

test("rows with the lines where they begin, empty ones left out", () => {
  assert.deepEqual(rowsOf("a,b\n\n,,\r\n c , d \n", ","), [
    { line: 1, cells: ["a", "b"] },
    { line: 4, cells: ["c", "d"] },
  ]);
});

test("quotes hold separators, lines and quotes", () => {
  assert.deepEqual(rowsOf('"a;b";"say ""hi""";"two\nlines"\nnext; "x"y', ";"), [
    { line: 1, cells: ["a;b", 'say "hi"', "two\nlines"] },
    { line: 3, cells: ["next", "xy"] },
  ]);
});

test("a quote within a cell is one, and the last line needs no end", () => {
  assert.deepEqual(rowsOf('5" disk,x', ","), [{ line: 1, cells: ['5" disk', "x"] }]);
});

test("lines of an old Macintosh", () => {
  assert.deepEqual(
    rowsOf("a,b\rc,d\r", ",").map(({ line }) => line),
    [1, 2],
  );
});

test("a quote that nothing closes names its line", () => {
  assert.throws(
    () => rowsOf('a,b\n"c,d\ne', ","),
    (error) => error instanceof OpenQuote && error.line === 2,
  );
});

test("what keeps a spreadsheet from evaluating a cell is no part of it", () => {
  const cells = ["=1", "-1-1", "'=1", "'x", "a=1", "\t=1"];
  const [row] = rowsOf(`'=1,'-1-1,''=1,'x,a=1,'\t=1`, ",");
  assert.deepEqual(row?.cells, cells);
});

test("the separator by which a line has most cells", () => {
  assert.equal(separatorOf("a;b;c,d"), ";");
  assert.equal(separatorOf("a\tb"), "\t");
  assert.equal(separatorOf("one"), ",");
});
