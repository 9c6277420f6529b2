// What the overview asks for, and upon which events it asks again.
import { call } from "../../api/calls.ts";
import type { Pattern } from "../../api/events.ts";
import type { Reading } from "../../parts/live/useRefresh.ts";

const SHOWN = 50; // of each kind in the inbox
const TROUBLES: readonly Pattern[] = [
  "pool.utilization_high",
  "pool.exhausted",
  "pool.decline_storm",
  "client.identity_shared",
  "node.up",
  "node.down",
  "node.degraded",
  "license.threshold",
  "relay.untrusted",
  "ddns.conflict",
  "ddns.failed",
  "dns.secondary_behind",
];

export const dashboard = call("get", "/api/v1/dashboard");

export function inboxOf(tenant: { tenant_id?: string }) {
  return call("get", "/api/v1/dashboard/inbox", { params: { query: { limit: SHOWN, ...tenant } } });
}

export function readingsOf(tenant: { tenant_id?: string }): readonly Reading[] {
  // The dashboard comes last: it is asked by the clock too.
  return [
    { of: inboxOf(tenant), upon: ["relay.untrusted", "ddns.conflict", "lease.declined"] },
    { of: dashboard, upon: TROUBLES },
  ];
}
