import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, guessed, hasAddresses } from "./tableColumns.ts";

test("columns are known by their names, of two of a name the first is meant", () => {
  const names = ["Owner", "IP Address", "MAC-Address", "Host Name", "Name", "Subnet Mask"];
  assert.deepEqual(guessed(names), { mask: 5, ip: 1, mac: 2, hostname: 3 });
  assert.deepEqual(guessed(["a", "b"]), {});
});

test("a column is of one field", () => {
  const columns = { ip: 0, mac: 1 };
  assert.deepEqual(chosen(columns, "client", 1), { ip: 0, client: 1 });
  assert.deepEqual(chosen(columns, "ip", 2), { ip: 2, mac: 1 });
  assert.deepEqual(chosen(columns, "mac", undefined), { ip: 0 });
});

test("a table without addresses is none", () => {
  assert.ok(hasAddresses({ start: 0 }));
  assert.ok(!hasAddresses({ mac: 0, hostname: 1 }));
});
