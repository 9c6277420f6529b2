import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "./calls.ts";
import { asCurl, asIpam, asOperation, asPython } from "./telling.ts";

const change = call("patch", "/api/v1/pools/{id}", {
  params: { path: { id: "p1" }, header: { "If-Match": '"7"' } },
  body: { name: "the guests' pool" },
});

test("a change as curl quotes what a shell would read otherwise", () => {
  assert.equal(
    asCurl(change, "http://h:1"),
    `curl -X PATCH 'http://h:1/api/v1/pools/p1' \\
  -H "Authorization: Bearer $IPAM_API_TOKEN" \\
  -H 'If-Match: "7"' \\
  -H "Content-Type: application/json" \\
  -d '{"name":"the guests'\\'' pool"}'`,
  );
});

test("a change in Python, as ipam and in a plan", () => {
  assert.equal(asPython(change), `client.pools.update("p1", if_match="\\"7\\"", name="the guests' pool")`);
  assert.equal(asIpam(change), `ipam update pools p1 'name=the guests'\\'' pool'`);
  assert.deepEqual(asOperation(change), {
    op: "update",
    path: "/pools/p1",
    body: { name: "the guests' pool" },
  });
});

test("an action on an object has no place in a plan", () => {
  const release = call("post", "/api/v1/leases/{id}/release", { params: { path: { id: "a:10.0.0.1" } } });
  assert.equal(asIpam(release), "ipam release a:10.0.0.1");
  assert.equal(asPython(release), 'client.request("POST", "/leases/a%3A10.0.0.1/release")');
  assert.equal(asOperation(release), null);
});

test("what is made below an object names it", () => {
  const made = call("post", "/api/v1/subnets/{subnet_id}/pools", {
    params: { path: { subnet_id: "s1" } },
    body: { name: "g", start_ip: "10.0.0.2", end_ip: "10.0.0.9" },
  });
  assert.equal(asIpam(made), "ipam create pools subnet_id=s1 name=g start_ip=10.0.0.2 end_ip=10.0.0.9");
});

test("a secret is in no telling", () => {
  const made = call("post", "/api/v1/dns-servers", {
    body: { name: "n", adapter: "bind_tsig", host: "h", secret: "c2VjcmV0" } as never,
  });
  for (const told of [asCurl(made, ""), asPython(made), asIpam(made), JSON.stringify(asOperation(made))]) {
    assert.ok(!told?.includes("c2VjcmV0"));
  }
});
