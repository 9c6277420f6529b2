import assert from "node:assert/strict";
import { test } from "node:test";
import {
  counted,
  countText,
  formatAddress,
  formatNetwork,
  hasPastMap,
  holds,
  parseAddress,
  parseNetwork,
  subnetLengths,
} from "./space.ts";

const net = (text: string) => {
  const found = parseNetwork(text);
  assert.ok(found);
  return found;
};

test("addresses are read and written in one spelling", () => {
  for (const text of [
    "0.0.0.0",
    "10.1.2.255",
    "::",
    "::1",
    "2001:db8::1",
    "2001:db8:0:1::",
    "1:0:0:2::3",
    "1:2:3:4:5:6:7:8",
  ]) {
    const found = parseAddress(text);
    assert.ok(found, text);
    assert.equal(formatAddress(found.family, found.value), text);
  }
  assert.equal(formatAddress(6, parseAddress("2001:DB8:0:0:1:0:0:1")?.value ?? 0n), "2001:db8::1:0:0:1");
});

test("what is no address is none", () => {
  for (const text of ["", "10.0.0", "10.0.0.256", "1::2::3", "1:2:3", "g::1", "1:2:3:4:5:6:7::8:9"]) {
    assert.equal(parseAddress(text), null, text);
  }
  for (const text of ["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/8/9"])
    assert.equal(parseNetwork(text), null, text);
});

test("a network is cut to its first address and holds what lies in it", () => {
  assert.equal(formatNetwork(net("10.1.2.3/20")), "10.1.0.0/20");
  assert.ok(holds(net("10.0.0.0/8"), net("10.1.0.0/16")));
  assert.ok(!holds(net("10.1.0.0/16"), net("10.0.0.0/8")));
  assert.ok(!holds(net("::/0"), net("0.0.0.0/0")));
});

test("IPv6 is counted in /64s and cut at nibbles", () => {
  assert.deepEqual(counted(net("2001:db8::/48")), { count: 65536n, unit: "/64s" });
  assert.deepEqual(counted(net("10.0.0.0/24")), { count: 256n, unit: "addresses" });
  assert.deepEqual(subnetLengths(net("2001:db8::/46")), [48, 52, 56, 60, 64]);
  assert.deepEqual(subnetLengths(net("10.0.0.0/28")), [28, 29, 30]);
  assert.deepEqual(subnetLengths(net("2001:db8::/127")), [127]);
});

test("counts are readable however large", () => {
  assert.equal(countText(65536n), "65,536");
  assert.equal(countText(1n << 64n), "2^64");
  assert.equal(countText((1n << 64n) - 2n), "~2^63");
});

test("the past of small networks is drawn", () => {
  for (const small of ["10.0.0.0/20", "10.0.0.9/32", "2001:db8::/116"])
    assert.ok(hasPastMap(net(small)), small);
  for (const wide of ["10.0.0.0/19", "2001:db8::/64"]) assert.ok(!hasPastMap(net(wide)), wide);
});
