import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNetwork, type Network, parseAddress, parseNetwork } from "./space.ts";
import { countsOf, gridOf, runAt, tileAt, tileNetwork, zoomed } from "./tiles.ts";

const net = (text: string) => parseNetwork(text) as Network;
const run = (start_ip: string, end_ip: string, type: string) => ({ start_ip, end_ip, type, id: null });

test("a /24 is tiles of one address each, in rows of 32", () => {
  const grid = gridOf(
    net("10.0.0.0/24"),
    [run("10.0.0.0", "10.0.0.9", "exclude"), run("10.0.0.10", "10.0.0.255", "free")],
    [],
  );
  assert.equal(grid.count, 256);
  assert.equal(grid.columns, 32);
  assert.deepEqual(tileAt(grid, 9), { kind: "exclude", share: 1 });
  assert.deepEqual(tileAt(grid, 10), { kind: "free", share: 0 });
  assert.equal(formatNetwork(tileNetwork(grid, 9)), "10.0.0.9/32");
});

test("a /16 has a row an octet and comes closer to one row", () => {
  const grid = gridOf(net("10.1.0.0/16"), [run("10.1.0.0", "10.1.255.255", "pool")], []);
  assert.equal(grid.count, 65536);
  assert.equal(grid.columns, 256);
  assert.equal(tileAt(grid, 300).kind, "pool");
  const into = zoomed(net("10.1.0.0/16"), parseAddress("10.1.7.9")?.value ?? 0n, 9);
  assert.equal(formatNetwork(into), "10.1.7.0/24");
});

test("IPv6 has 256 tiles on nibbles, and what is small in a tile still shows", () => {
  const grid = gridOf(
    net("2001:db8::/48"),
    [
      run("2001:db8::", "2001:db8:0:0:ffff:ffff:ffff:ffff", "subnet"),
      run("2001:db8:0:1::", "2001:db8:0:ffff:ffff:ffff:ffff:ffff", "free"),
    ],
    [],
  );
  assert.equal(grid.length, 56);
  assert.equal(grid.count, 256);
  assert.equal(tileAt(grid, 0).kind, "subnet");
  assert.ok(tileAt(grid, 0).share < 0.01);
  assert.equal(tileAt(grid, 1).kind, "free");
});

test("blocks fill the tiles that they cover by their share", () => {
  const grid = gridOf(net("10.0.0.0/8"), [], [{ cidr: "10.0.0.0/24", share: 0.5 }]);
  assert.equal(grid.length, 24);
  assert.deepEqual(tileAt(grid, 0), { kind: "used", share: 0.5 });
});

test("what stands at an address is the run around it", () => {
  const runs = [run("10.0.0.0", "10.0.0.9", "exclude"), run("10.0.0.10", "10.0.0.255", "free")];
  assert.equal(runAt(runs, parseAddress("10.0.0.10")?.value ?? 0n)?.type, "free");
  assert.equal(runAt(runs, parseAddress("10.0.1.0")?.value ?? 0n), undefined);
});

test("IPv6 comes closer by two nibbles a step, to the last 256 addresses", () => {
  const value = parseAddress("2001:db8:1:2::99")?.value ?? 0n;
  assert.equal(formatNetwork(zoomed(net("2001:db8::/46"), value, 1)), "2001:db8:1::/56");
  assert.equal(formatNetwork(zoomed(net("2001:db8::/46"), value, 99)), "2001:db8:1:2::/120");
});

test("counts come by kind, the most first", () => {
  const runs = [
    run("10.0.0.0", "10.0.0.0", "network"),
    run("10.0.0.1", "10.0.0.3", "pool"),
    run("10.0.0.4", "10.0.0.4", "network"),
  ];
  assert.deepEqual(countsOf(runs), [
    { kind: "pool", addresses: 3n },
    { kind: "network", addresses: 2n },
  ]);
});
