// Which column of a table is which field: as somebody says it, else by its name.

// Fields, and how columns of theirs are called where letters and digits alone count.
const USUAL = {
  kind: ["kind", "objecttype"],
  network: ["network", "networkaddress", "subnet", "cidr", "prefix", "scope", "scopeid"],
  mask: ["mask", "netmask", "subnetmask", "prefixlength", "masklength"],
  start: ["start", "startip", "startaddress", "startrange", "rangestart", "first", "firstip", "from"],
  end: ["end", "endip", "endaddress", "endrange", "rangeend", "last", "lastip", "to"],
  ip: ["ip", "ipaddress", "ipv4address", "ipv6address", "ipv4", "ipv6", "address", "ipaddr"],
  mac: [
    "mac",
    "macaddress",
    "macaddr",
    "hw",
    "hwaddress",
    "hardwareaddress",
    "ethernetaddress",
    "physicaladdress",
  ],
  client: ["clientid", "clientidentifier", "dhcpclientidentifier"],
  duid: ["duid", "clientduid"],
  hostname: ["hostname", "name", "host", "fqdn", "dnsname", "computername", "devicename"],
  aliases: ["aliases", "alias", "cnames", "cname", "hostaliases"],
  description: ["description", "comment", "comments", "note", "notes", "descr"],
  gateway: ["gateway", "defaultgateway", "router", "routers"],
  dns: ["dns", "dnsserver", "dnsservers", "nameserver", "nameservers", "domainnameservers"],
  domain: ["domain", "domainname", "dnsdomain"],
  lease: ["lease", "leasetime", "leaseduration", "leasetimeseconds"],
  vlan: ["vlan", "vlanid"],
  code: ["code", "optioncode", "optionid"],
} as const satisfies Record<string, readonly string[]>;

export type Field = keyof typeof USUAL;
export const FIELDS = Object.keys(USUAL) as readonly Field[];
// The place of each field's column, from 0; of what is no column nothing.
export type Columns = Readonly<Partial<Record<Field, number>>>;

export function guessed(names: readonly string[]): Columns {
  const plain = names.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const found = FIELDS.map((field) => [
    field,
    plain.findIndex((name) => (USUAL[field] as readonly string[]).includes(name)),
  ]);
  return Object.fromEntries(found.filter(([, at]) => Number(at) >= 0));
}

// A column is of one field: who chooses it for another takes it from the first.
export function chosen(columns: Columns, field: Field, at: number | undefined): Columns {
  const others = Object.entries(columns).filter(([name, place]) => name !== field && place !== at);
  return { ...Object.fromEntries(others), ...(at === undefined ? {} : { [field]: at }) };
}

// Whether rows can say where they lie.
export function hasAddresses(columns: Columns): boolean {
  return columns.ip !== undefined || columns.network !== undefined || columns.start !== undefined;
}
