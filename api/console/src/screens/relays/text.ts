import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Trusted relays",
  empty: "No network is trusted yet: only clients on the servers' own links are answered.",
  unknown: "Unknown relays",
  unknownExplain: "They sent messages for clients and were refused, because no trusted network holds them.",
  noUnknown: "Every relay that asked is trusted.",
  columns: {
    cidr: "Network",
    description: "Description",
    tenant: "Tenant",
    created: "Since",
    address: "Relay",
    count: "Messages",
    first: "First seen",
    last: "Last seen",
  },
  add: "Trust a network",
  trust: "Trust",
  trustOne: (address: string) => `Trust ${address}`,
  explain: "Explain",
  explainOne: (address: string) => `Explain a client behind ${address}`,
  cidrHint: "The relays' own addresses (giaddr, or the peer's address for DHCPv6).",
  tenantHint: "Id of the tenant whose subnets it may choose; left empty: of all.",
  edit: "Change",
  remove: "Trust no longer",
});
