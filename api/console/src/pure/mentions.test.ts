import assert from "node:assert/strict";
import { test } from "node:test";
import { mentions, octets } from "./mentions.ts";

const client = ["10.60.0.17", "02:00:00:00:00:11", null, "Host-17.example.net"];

test("a part of a text, whatever its case", () => {
  for (const typed of ["", " ", "10.60.0.", "host-17", "EXAMPLE"]) assert.ok(mentions(client, typed), typed);
  for (const typed of ["10.60.1.", "host-18", "02:01"]) assert.ok(!mentions(client, typed), typed);
});

test("octets in any notation", () => {
  for (const typed of ["0200.0000.0011", "02-00-00-00-00-11", "020000000011", "0x0200", "2:0:0:0:0:11"]) {
    assert.ok(mentions(client, typed), typed);
  }
  assert.ok(!mentions(client, "0200.0000.0012"));
});

test("the network of an address, of its family alone", () => {
  assert.ok(mentions(client, "10.60.0.16/29"));
  assert.ok(!mentions(client, "10.60.0.24/29"));
  assert.ok(!mentions(client, "2001:db8::/32"));
  assert.ok(mentions(["2001:db8::9"], "2001:db8::/32"));
});

test("what are octets and what is none", () => {
  assert.equal(octets("1A-1B"), "1a1b");
  assert.equal(octets("0x0102"), "0102");
  for (const text of ["1", "a", "host", "1:2:zz", ""]) assert.equal(octets(text), null, text);
});
