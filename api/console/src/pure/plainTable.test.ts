import assert from "node:assert/strict";
import { test } from "node:test";
import { hasColumns, planOf, tableOf, type Words } from "./plainTable.ts";

const WORDS: Words = {
  noAddress: (value) => `address ${value}`,
  noMac: (value) => `mac ${value}`,
  noName: "nothing",
  noSubnet: (ip) => `subnet ${ip}`,
  tooManyCells: "cells",
  column: (name) => `column ${name}`,
  unread: "unread",
};
const SUBNETS = [
  { id: "wide", cidr: "10.0.0.0/8" },
  { id: "narrow", cidr: "10.1.0.0/24" },
  { id: "six", cidr: "2001:db8::/64" },
];

function planned(text: string) {
  const table = tableOf(text);
  assert.ok(table);
  return planOf(table, SUBNETS, WORDS);
}

test("a row with a MAC address is a reservation, another one an assignment, in the smallest subnet", () => {
  const { objects, badRows } = planned(
    "# hosts\nIP;MAC;Hostname\n10.1.0.9;02-00-00-00-00-0A;a\n10.2.0.9;;b\n2001:DB8::9;;c\n",
  );
  assert.deepEqual(badRows, []);
  assert.deepEqual(
    objects.map(({ line, operation: { path, body } }) => [line, path, body]),
    [
      [3, "/subnets/narrow/reservations", { ip: "10.1.0.9", mac: "02:00:00:00:00:0a", hostname: "a" }],
      [4, "/assignments", { ip: "10.2.0.9", hostname: "b", subnet_id: "wide" }],
      [5, "/assignments", { ip: "2001:db8::9", hostname: "c", subnet_id: "six" }],
    ],
  );
  assert.equal(new Set(objects.map(({ ref }) => ref)).size, 3);
});

test("every wrong row is reported with its line and field", () => {
  const rows = ["x,,a", "10.1.0.9,zz,a", "10.1.0.9,,", "192.0.2.1,,a", "10.1.0.9,,a,more", ",,a"];
  const { objects, badRows, statements } = planned(["ip,mac,hostname", ...rows].join("\n"));
  assert.deepEqual(objects, []);
  assert.deepEqual(
    badRows.map(({ line, label, field, why }) => [line, label, field, why]),
    [
      [2, "x", "ip", "address x"],
      [3, "10.1.0.9", "mac", "mac zz"],
      [4, "10.1.0.9", "hostname", "nothing"],
      [5, "192.0.2.1", "ip", "subnet 192.0.2.1"],
      [6, "10.1.0.9", "", "cells"],
      [7, "a", "ip", "address "],
    ],
  );
  assert.deepEqual(statements, { read: 0, warned: 6 });
});

test("columns that are not imported are reported if they contain anything", () => {
  const { warnings } = planned("ip\thostname\tnote\tempty\n10.1.0.9\ta\t\t\n10.1.0.8\tb\tx\t\n");
  assert.deepEqual(warnings, [{ line: 3, reason: "dropped", what: "column note", why: "unread" }]);
});

test("a table needs ip, and mac or hostname, each once, and a row", () => {
  const isTable = (names: string) => {
    const table = tableOf(`${names}\n1,2,3\n`);
    return table !== null && hasColumns(table);
  };
  assert.deepEqual(["ip,mac", "hostname,ip", "ip,mac,hostname", "sep=,\nIP,Mac"].map(isTable), [
    true,
    true,
    true,
    true,
  ]);
  assert.deepEqual(["ip", "mac,hostname", "ip,mac,ip", "address,mac", "10.0.0.1,a"].map(isTable), [
    false,
    false,
    false,
    false,
    false,
  ]);
  assert.equal(tableOf("ip,mac\n"), null);
  assert.equal(tableOf(""), null);
});
