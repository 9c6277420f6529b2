import assert from "node:assert/strict";
import { test } from "node:test";
import {
  equalLengths,
  freeBlocks,
  gatewayOf,
  lengthsOf,
  placed,
  roomFor,
  runsOf,
  usualLengths,
} from "./division.ts";
import { formatNetwork, holds, type Network, parseNetwork } from "./space.ts";

function net(text: string): Network {
  const found = parseNetwork(text);
  assert.ok(found, text);
  return found;
}

const told = (networks: readonly (Network | null)[]) =>
  networks.map((network) => (network === null ? null : formatNetwork(network)));

test("what is free lies between what is taken, on its boundaries", () => {
  assert.deepEqual(told(freeBlocks(net("10.0.0.0/22"), [])), ["10.0.0.0/22"]);
  assert.deepEqual(told(freeBlocks(net("10.0.0.0/22"), [net("10.0.1.0/24"), net("10.9.0.0/24")])), [
    "10.0.0.0/24",
    "10.0.2.0/23",
  ]);
  assert.deepEqual(told(freeBlocks(net("10.0.0.0/24"), [net("10.0.0.0/24")])), []);
  assert.deepEqual(told(freeBlocks(net("2001:db8::/46"), [net("2001:db8:1::/48")])), [
    "2001:db8::/48",
    "2001:db8:2::/47",
  ]);
});

test("parts come in their order, the largest at the lowest address", () => {
  const free = freeBlocks(net("10.0.0.0/22"), [net("10.0.0.0/26")]);
  assert.deepEqual(told(placed(free, [26, 24, 25, 24])), [
    "10.0.0.64/26",
    "10.0.1.0/24",
    "10.0.0.128/25",
    "10.0.2.0/24",
  ]);
  assert.deepEqual(told(placed(free, [23, 23])), ["10.0.2.0/23", null]);
  assert.deepEqual(told(placed(free, [])), []);
});

test("an IPv6 network is divided beside what stands in it", () => {
  const free = freeBlocks(net("2001:db8::/44"), [net("2001:db8::/48")]);
  assert.deepEqual(told(placed(free, [48, 48, 45])), [
    "2001:db8:1::/48",
    "2001:db8:2::/48",
    "2001:db8:8::/45",
  ]);
});

test("whatever fits is placed, inside, beside all others", () => {
  const whole = net("10.0.0.0/20");
  let seed = 7;
  const chance = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  for (let round = 0; round < 300; round++) {
    const taken = placed(
      [whole],
      Array.from({ length: chance(6) }, () => 22 + chance(5)),
    ).flatMap((each) => each ?? []);
    const free = freeBlocks(whole, taken);
    const lengths = Array.from({ length: 1 + chance(12) }, () => 21 + chance(7));
    const parts = placed(free, lengths);
    const made = parts.flatMap((each) => each ?? []);
    assert.ok(made.every((part) => holds(whole, part)));
    const all = [...taken, ...made];
    for (const [at, one] of all.entries()) {
      assert.ok(all.slice(at + 1).every((other) => !holds(one, other) && !holds(other, one)));
    }
    // What found no place has none: nothing of its size is left.
    const left = freeBlocks(whole, all);
    for (const [at, part] of parts.entries()) {
      if (part === null) assert.equal(roomFor(left, lengths[at] ?? 0), 0n);
    }
  }
});

test("equal parts are as large as there is room for so many", () => {
  const whole = net("10.0.0.0/22");
  assert.deepEqual(equalLengths(whole, [whole], 4).slice(0, 2), [24, 25]);
  assert.deepEqual(equalLengths(whole, [whole], 5)[0], 25);
  assert.deepEqual(equalLengths(whole, freeBlocks(whole, [net("10.0.0.0/26")]), 4)[0], 25);
  assert.equal(equalLengths(whole, [whole], 4).at(-1), 30);
  assert.deepEqual(equalLengths(whole, [whole], 257), []);
  assert.deepEqual(equalLengths(whole, [whole], 0), []);
});

test("in IPv6 nibbles are offered first", () => {
  const whole = net("2001:db8::/46");
  assert.deepEqual(equalLengths(whole, [whole], 4), [
    ...[48, 52, 56, 60, 64],
    ...[49, 50, 51, 53, 54, 55, 57, 58, 59, 61, 62, 63],
  ]);
  assert.deepEqual(equalLengths(net("2001:db8::/126"), [net("2001:db8::/126")], 4), [128]);
  assert.equal(usualLengths(whole), "48, 48");
  assert.equal(usualLengths(net("10.0.0.0/16")), "17, 17");
});

test("lengths are typed with commas, spaces and slashes", () => {
  const whole = net("10.0.0.0/22");
  assert.deepEqual(lengthsOf("24,24, 25 /26", whole), [24, 24, 25, 26]);
  assert.deepEqual(lengthsOf(" ", whole), []);
  for (const wrong of ["21", "33", "x", "24;25", "-1"]) assert.equal(lengthsOf(wrong, whole), null);
});

test("a gateway is the first or last address of a host", () => {
  assert.equal(gatewayOf(net("10.0.0.0/24"), "first"), "10.0.0.1");
  assert.equal(gatewayOf(net("10.0.0.0/24"), "last"), "10.0.0.254");
  assert.equal(gatewayOf(net("10.0.0.0/31"), "first"), "10.0.0.0");
  assert.equal(gatewayOf(net("10.0.0.0/32"), "last"), "10.0.0.0");
  assert.equal(gatewayOf(net("2001:db8::/64"), "first"), "2001:db8::1");
  assert.equal(gatewayOf(net("2001:db8::/126"), "last"), "2001:db8::3");
  assert.equal(gatewayOf(net("2001:db8::9/128"), "first"), "2001:db8::9");
});

test("networks are runs of a map", () => {
  assert.deepEqual(runsOf("planned", [net("10.0.0.0/24")]), [
    { start_ip: "10.0.0.0", end_ip: "10.0.0.255", type: "planned", id: "10.0.0.0/24" },
  ]);
});
