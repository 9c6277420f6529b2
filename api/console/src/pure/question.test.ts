import assert from "node:assert/strict";
import { test } from "node:test";
import { questionOf, startOf } from "./question.ts";

const lease = {
  ip: "10.0.0.9",
  mac: "02:00:00:00:00:09",
  duid: null,
  client_id: null,
  hostname: null,
  relay: "10.0.0.1",
  link_address: null,
  next_hop: null,
  interface_id: null,
  circuit_id: null,
  remote_id: null,
  vendor_class: null,
  ia_type: null,
};

test("a lease of IPv4 asks as its client came", () => {
  assert.deepEqual(startOf(lease), {
    family: "4",
    typed: { mac: "02:00:00:00:00:09", relay: "10.0.0.1", requested_ip: "10.0.0.9" },
  });
});

test("a lease of IPv6 asks for what it is of", () => {
  const found = startOf({
    ...lease,
    ip: "2001:db8::",
    ia_type: "pd",
    duid: "00:01",
    link_address: "2001:db8::1",
  });
  assert.equal(found.family, "6");
  assert.equal(found.typed.asks_for, "pd");
  assert.equal(found.typed.link_address, "2001:db8::1");
});

test("associations are made of what it asks for", () => {
  const fields = [{ name: "duid" }, { name: "asks_for" }];
  assert.deepEqual(questionOf(fields, { duid: "00:01", asks_for: "na" }), { duid: "00:01" });
  assert.deepEqual(questionOf(fields, { duid: "00:01", asks_for: "both" }), {
    duid: "00:01",
    associations: [{ kind: "na" }, { kind: "pd" }],
  });
});
