import type { components } from "../../api/schema";
import { LeaseEnd } from "../../parts/LeaseEnd.tsx";
import { Moment } from "../../parts/Moment.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { text } from "./text.ts";

export type Lease = components["schemas"]["Lease"];
export const STATES = ["active", "released", "expired", "revoked", "declined", "registered"] as const;
export type State = (typeof STATES)[number];

// A delegated prefix with its length, an address without.
export function placeOf(lease: Lease): string {
  return lease.ia_type === "pd" ? `${lease.ip}/${lease.prefix_length}` : lease.ip;
}

export function stateOf(lease: Lease): string {
  return text.states[lease.state as State] ?? lease.state;
}

export const columns: readonly Column<Lease>[] = [
  { id: "ip", title: text.columns.ip, cell: placeOf, width: "minmax(9rem, 1fr)" },
  { id: "state", title: text.columns.state, cell: stateOf, width: "7rem" },
  { id: "mac", title: text.columns.mac, cell: (lease) => lease.mac, width: "10.5rem" },
  {
    id: "hostname",
    title: text.columns.hostname,
    cell: (lease) => lease.hostname,
    width: "minmax(10rem, 2fr)",
  },
  {
    id: "expires_at",
    title: text.columns.until,
    cell: (lease) => <LeaseEnd of={lease} inRow />,
    width: "11rem",
  },
  {
    id: "renewed_at",
    title: text.columns.renewed,
    cell: (lease) => <Moment at={lease.renewed_at} inRow />,
    width: "11rem",
    optional: true,
  },
  {
    id: "granted_at",
    title: text.columns.granted,
    cell: (lease) => <Moment at={lease.granted_at} inRow />,
    width: "11rem",
    optional: true,
  },
  { id: "duid", title: text.columns.duid, cell: (lease) => lease.duid, optional: true },
  { id: "client_id", title: text.columns.clientId, cell: (lease) => lease.client_id, optional: true },
  { id: "relay", title: text.columns.relay, cell: (lease) => lease.relay, optional: true },
  { id: "circuit_id", title: text.columns.circuit, cell: (lease) => lease.circuit_id, optional: true },
  { id: "remote_id", title: text.columns.remote, cell: (lease) => lease.remote_id, optional: true },
  { id: "vendor_class", title: text.columns.vendor, cell: (lease) => lease.vendor_class, optional: true },
];
