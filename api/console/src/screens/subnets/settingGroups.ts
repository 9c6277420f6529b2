// The settings of a subnet, as its form shows them.
import type { Field } from "../../parts/fields/Fields.tsx";
import { choices, labels } from "./settingsText.ts";
import { text } from "./text.ts";

type Kind = NonNullable<Field["kind"]>;
type Name = keyof typeof labels;

function field(name: Name, kind: Kind = "text", nullable = false): Field {
  return { name, label: labels[name], kind, nullable };
}

function choice(name: keyof typeof choices, nullable = false): Field {
  const none = nullable ? [{ id: "", title: "–" }] : [];
  const options = Object.entries(choices[name]).map(([id, title]) => ({ id, title }));
  return { ...field(name, "choice", nullable), options: [...none, ...options] };
}

export const groups: readonly { readonly title: string; readonly fields: readonly Field[] }[] = [
  {
    title: text.groups.general,
    fields: [
      field("name"),
      field("description"),
      { ...field("cidr"), hint: text.hints.cidr },
      field("gateway", "text", true),
      field("vlan_id", "number", true),
      field("site"),
      field("tags", "list"),
      field("custom", "json"),
    ],
  },
  {
    title: text.groups.dhcp,
    fields: [
      field("dhcp_enabled", "check"),
      field("authoritative", "check"),
      field("match_client_id", "check"),
      field("ping_check", "check"),
      field("rapid_commit", "check"),
      field("address_registration", "check"),
      field("shared_network", "text", true),
      field("relay_addresses", "list"),
      field("interface", "text", true),
      field("interface_id", "text", true),
      field("ntp_servers", "list"),
      field("decline_quarantine_seconds", "number"),
      field("reuse_margin_seconds", "number"),
      field("cache_threshold", "number"),
    ],
  },
  {
    title: text.groups.times,
    fields: [
      field("lease_time_seconds", "number"),
      field("min_lease_time_seconds", "number", true),
      field("max_lease_time_seconds", "number", true),
      field("renew_time_seconds", "number", true),
      field("rebind_time_seconds", "number", true),
      field("preferred_lifetime_seconds", "number", true),
    ],
  },
  {
    title: text.groups.boot,
    fields: [
      field("next_server", "text", true),
      field("server_name", "text", true),
      field("boot_file", "text", true),
    ],
  },
  {
    title: text.groups.ddns,
    fields: [
      field("ddns_enabled", "check"),
      field("ddns_override_no_update", "check"),
      field("ddns_override_client_update", "check"),
      choice("ddns_adapter", true),
      field("ddns_dns_server_id", "text", true),
      field("ddns_forward_zone", "text", true),
      field("ddns_reverse_zone", "text", true),
      field("ddns_domain", "text", true),
      field("ddns_client_domains", "list"),
      field("ddns_ttl", "number", true),
      choice("ddns_replace_client_name"),
      field("ddns_generated_prefix"),
      choice("ddns_conflict_mode"),
    ],
  },
];
