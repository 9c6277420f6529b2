import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, columnsIn, isAt, type View, viewsOf, withView } from "./views.ts";

const view: View = { id: "1", name: "Declined", table: "leases", to: "/leases?state=declined" };

test("columns are of the table that the address names", () => {
  assert.deepEqual(columnsIn("leases:ip,mac", "leases"), ["ip", "mac"]);
  assert.equal(columnsIn("leases:ip,mac", "pools"), null);
  assert.equal(columnsIn("leases:", "leases"), null);
  assert.equal(columnsIn(undefined, "leases"), null);
});

test("an address has what the list was asked, and the columns if some were chosen", () => {
  const words = { state: "declined", q: "", family: undefined, columns: "leases:ip" };
  assert.equal(addressOf("/leases", words, "leases", null), "/leases?state=declined");
  assert.equal(addressOf("/leases", {}, "leases", null), "/leases");
  const chosen = addressOf("/leases", words, "leases", ["ip", "mac"]);
  const query = new URLSearchParams(chosen.split("?")[1]);
  assert.deepEqual(columnsIn(query.get("columns") ?? "", "leases"), ["ip", "mac"]);
  assert.equal(query.get("state"), "declined");
});

test("a view is at the list where it was kept", () => {
  assert.ok(isAt(view, "/leases", "leases"));
  assert.ok(!isAt(view, "/leases", "others"));
  assert.ok(!isAt(view, "/subnets/1", "leases"));
});

test("a name stands once at a list", () => {
  const again = { ...view, id: "2", to: "/leases?state=active" };
  const elsewhere = { ...view, id: "3", to: "/subnets/1?tab=leases" };
  assert.deepEqual(withView([view, elsewhere], again), [elsewhere, again]);
});

test("what is no view is left out", () => {
  assert.deepEqual(
    viewsOf(JSON.stringify([view, 7, null, { ...view, to: "https://elsewhere.example" }, {}])),
    [view],
  );
  assert.deepEqual(viewsOf("{"), []);
  assert.deepEqual(viewsOf("7"), []);
  assert.deepEqual(viewsOf(null), []);
});
