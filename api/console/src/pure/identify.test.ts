import assert from "node:assert/strict";
import { test } from "node:test";
import { identify, isWhole } from "./identify.ts";

const CASES: readonly [string, string][] = [
  ["10.0.0.1", "ip"],
  ["2001:db8::1", "ip"],
  ["::", "ip"],
  ["10.0.0.0/8", "within"],
  ["2001:db8::/64", "within"],
  ["aa:bb:cc:dd:ee:ff", "mac"],
  ["AA-BB-CC-DD-EE-FF", "mac"],
  ["aabb.ccdd.eeff", "mac"],
  ["aabbccddeeff", "mac"],
  ["a:b:c:d:e:f", "mac"],
  ["00:01:00:01:2a:bb:cc:dd:02:00:00:00:00:31", "duid"],
  ["0x0003000102000000003100", "duid"],
  ["printer-1.example.net", "hostname"],
  ["10.0.0.256", "hostname"],
  ["10.0.0.0/33", "hostname"],
  ["cafe", "hostname"],
];

for (const [typed, kind] of CASES) {
  test(`${typed} is of kind ${kind}`, () => assert.equal(identify(` ${typed} `)?.kind, kind));
}

test("nothing typed is nothing", () => assert.equal(identify("  "), null));

for (const typed of ["aa:bb:cc:dd:ee:ff", " AABB.CCDD.EEFF", "10.0.0.0/24", "2001:db8::/64"]) {
  test(`${typed} is whole`, () => assert.ok(isWhole(typed)));
}

for (const typed of [
  "",
  "aa:bb:cc:dd:ee",
  "aa:bb:cc:dd:ee:f",
  "10.0.0.1",
  "10.0.0.0/2",
  "printer",
  "2001:db8::",
]) {
  test(`${typed} may go on`, () => assert.ok(!isWhole(typed)));
}
