// What the overview asks for, and upon which events it asks again.

import { call } from "../../api/calls.ts";
import type { Pattern } from "../../api/events.ts";
import type { Reading } from "../../parts/live/useRefresh.ts";

export const SHOWN = 50;
const TROUBLES: readonly Pattern[] = [
  "pool.utilization_high",
  "pool.exhausted",
  "node.up",
  "node.down",
  "node.degraded",
  "license.threshold",
  "relay.untrusted",
  "ddns.conflict",
  "ddns.failed",
];

export const dashboard = call("get", "/api/v1/dashboard");
export const unknownRelays = call("get", "/api/v1/trusted-relays/unknown", {
  params: { query: { limit: SHOWN } },
});

export function conflictsOf(tenant: { tenant_id?: string }) {
  return call("get", "/api/v1/ddns-updates", {
    params: { query: { state: "conflict", limit: SHOWN, ...tenant } },
  });
}

export function declinedOf(tenant: { tenant_id?: string }) {
  return call("get", "/api/v1/leases", { params: { query: { state: "declined", limit: SHOWN, ...tenant } } });
}

export function readingsOf(tenant: { tenant_id?: string }): readonly Reading[] {
  // The dashboard comes last: it is asked by the clock too.
  return [
    { of: unknownRelays, upon: ["relay.untrusted"] },
    { of: conflictsOf(tenant), upon: ["ddns.conflict"] },
    { of: declinedOf(tenant), upon: ["lease.declined"] },
    { of: dashboard, upon: TROUBLES },
  ];
}
