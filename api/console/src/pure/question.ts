// The question that the engine is asked about a client, made of a form or of a lease that the client has.
import { type Body, bodyOf, type FieldKind, type Typed } from "./fields.ts";

export type Family = "4" | "6";
type LeaseLike = {
  readonly ip: string;
  readonly mac: string | null;
  readonly duid: string | null;
  readonly client_id: string | null;
  readonly hostname: string | null;
  readonly relay: string | null;
  readonly link_address: string | null;
  readonly next_hop: string | null;
  readonly interface_id: string | null;
  readonly circuit_id: string | null;
  readonly remote_id: string | null;
  readonly vendor_class: string | null;
  readonly ia_type: string | null;
};

const NAMES4 = ["mac", "client_id", "relay", "circuit_id", "remote_id", "hostname", "vendor_class"] as const;

// A lease's client as it came: what the form begins with.
export function startOf(lease: LeaseLike): { family: Family; typed: Typed } {
  if (lease.ia_type === null && !lease.ip.includes(":")) {
    const told = NAMES4.flatMap((name) => (lease[name] === null ? [] : [[name, lease[name]] as const]));
    return { family: "4", typed: { ...Object.fromEntries(told), requested_ip: lease.ip } };
  }
  const typed = {
    duid: lease.duid ?? "",
    mac: lease.mac ?? "",
    link_address: lease.link_address ?? "",
    relay: lease.next_hop ?? "",
    interface_id: lease.interface_id ?? "",
    asks_for: lease.ia_type === "pd" ? "pd" : "na",
  };
  return { family: "6", typed };
}

// The body; of DHCPv6 `asks_for` says which associations it has.
export function questionOf(fields: readonly FieldKind[], typed: Typed): Body {
  const { asks_for, ...body } = bodyOf(fields, typed);
  if (asks_for === "pd") return { ...body, associations: [{ kind: "pd" }] };
  if (asks_for === "both") return { ...body, associations: [{ kind: "na" }, { kind: "pd" }] };
  return body;
}
