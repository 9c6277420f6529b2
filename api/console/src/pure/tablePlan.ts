// A table as a plan, as `ipam import` reads one: networks first, wherever they stand, then what lies in them. A row is what
// its column `kind` says, else what it holds: an address with a client is a reservation, one with a name alone an
// assignment, two addresses are a pool.
import { type CsvRow, rowsOf, separatorOf } from "./csv.ts";
import { octets } from "./mentions.ts";
import {
  FAMILIES,
  type Family,
  type Fields,
  type Plan,
  type Planned,
  type Reason,
  type Warned,
} from "./plan.ts";
import { around, formatNetwork, type Network, parseAddress, parseNetwork } from "./space.ts";
import { type Columns, FIELDS, type Field } from "./tableColumns.ts";

// What is said of rows that are not taken over; the screen has the words.
export type Words = {
  readonly noNetwork: string;
  readonly noKind: (said: string) => string;
  readonly nothing: string;
  readonly options: string;
  readonly noCidr: (said: string) => string;
  readonly twice: (line: number) => string;
  readonly takenFrom: (network: string, line: number) => string;
  readonly ofServer: (network: string) => string;
  readonly noAliases: (names: string) => string;
  readonly unread: string;
  readonly column: (name: string, rows: number) => string;
};

const KINDS = ["subnet", "exclude", "pool", "reservation", "option", "assignment"] as const;
type Kind = (typeof KINDS)[number];
const OF_NETWORK = ["gateway", "dns", "domain", "lease", "vlan"] as const;
const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const HOST =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

export type Table = {
  readonly line: number; // of the header
  readonly names: readonly string[];
  readonly rows: readonly CsvRow[];
};

// Lines before the header that PowerShell and spreadsheets write are left out. Throws OpenQuote; null: it is empty.
export function tableOf(text: string): Table | null {
  const lines = text.split(/\r\n|\n|\r/);
  const at = lines.findIndex((line) => line.trim() !== "" && !/^(#|sep=)/.test(line));
  const header = lines[at];
  if (header === undefined) return null;
  const all = rowsOf(text, separatorOf(header)).filter(({ line }) => line > at);
  const [first, ...rows] = all;
  return first === undefined ? null : { line: first.line, names: first.cells, rows };
}

// `networks`: those in which rows lie that name none, with commas or blanks between them. `there`: subnets of the server,
// of which one holds a row that lies in no network of the table.
export function planOf(
  table: Table,
  columns: Columns,
  networks: string,
  words: Words,
  there: readonly Network[] = [],
): Plan {
  const reading = new Reading(table, columns, words, there);
  for (const cidr of networks.split(/[;,\s]+/).filter(Boolean)) {
    reading.network({ line: table.line, said: { network: cidr } });
  }
  const rows = table.rows.map((row) => rowOf(row, columns));
  for (const row of rows) reading.network(row);
  for (const row of rows) reading.row(row);
  return reading.plan();
}

type Row = { readonly line: number; readonly said: Readonly<Partial<Record<Field, string>>> };
// `row`: that made it; null: the server has it.
type Placed = { readonly planned: Planned; readonly network: Network; readonly row: Row | null };

function rowOf({ line, cells }: CsvRow, columns: Columns): Row {
  const said = FIELDS.flatMap((field) => {
    const at = columns[field];
    const cell = at === undefined ? "" : (cells[at] ?? "");
    return cell === "" ? [] : [[field, cell]];
  });
  return { line, said: Object.fromEntries(said) };
}

class Reading {
  readonly #table: Table;
  readonly #columns: Columns;
  readonly #words: Words;
  readonly #objects: Planned[] = [];
  readonly #warnings: Warned[] = [];
  readonly #subnets: Placed[] = [];
  readonly #there: readonly Network[];
  #lost = new Set<number>();

  constructor(table: Table, columns: Columns, words: Words, there: readonly Network[]) {
    this.#table = table;
    this.#columns = columns;
    this.#words = words;
    this.#there = there;
  }

  plan(): Plan {
    this.#tellUnread();
    const objects = this.#objects.toSorted((a, b) => FAMILIES.indexOf(a.family) - FAMILIES.indexOf(b.family));
    const warnings = this.#warnings.toSorted((a, b) => a.line - b.line);
    const warned = this.#lost.size;
    const read = this.#table.rows.length - warned;
    return { format: "csv", statements: { read, warned }, objects, warnings };
  }

  // A row that says a whole network makes it, once.
  network(row: Row): void {
    const cidr = cidrOf(row);
    if (!cidr.includes("/")) return;
    const network = exactly(cidr);
    if (network === null) {
      if (kindOf(row) !== "subnet") this.#warn(row.line, "dropped", cidr, this.#words.noCidr(cidr));
      return; // of a subnet it is told when the row's turn comes
    }
    if (this.#exactly(network)) return;
    const { planned } = this.#place(network, row.line, subnetFields(row), row);
    for (const option of optionsOf(row, network)) this.#add("options", row.line, option, planned);
  }

  #place(network: Network, line: number, fields: Fields, row: Row | null): Placed {
    const cidrField = { cidr: formatNetwork(network) };
    const prefix = this.#add("prefixes", line, cidrField);
    const placed = { planned: this.#add("subnets", line, { ...cidrField, ...fields }, prefix), network, row };
    this.#subnets.push(placed);
    return placed;
  }

  row(row: Row): void {
    const kind = kindOf(row);
    if (kind === null) this.#lose(row, "dropped", this.#nothing(row));
    else if (kind === "subnet") this.#checkSubnet(row);
    else if (kind === "option") this.#lose(row, "manual", this.#words.options);
    else this.#inside(row, kind);
  }

  #nothing({ said }: Row): string {
    return said.kind ? this.#words.noKind(said.kind) : this.#words.nothing;
  }

  // It was made before, unless it cannot be, or the table has it twice.
  #checkSubnet(row: Row): void {
    const network = exactly(cidrOf(row));
    const made = network && this.#exactly(network);
    if (!made) this.#lose(row, "dropped", this.#words.noCidr(cidrOf(row)));
    else if (made.row && made.row.line !== row.line) {
      this.#lose(row, "dropped", this.#words.twice(made.row.line));
    }
  }

  #inside(row: Row, kind: "pool" | "exclude" | "reservation" | "assignment"): void {
    const { said } = row;
    const isRange = kind === "pool" || kind === "exclude";
    const subnet = this.#subnetOf(isRange ? (said.start ?? said.ip ?? "") : (said.ip ?? ""), row.line);
    if (subnet === undefined) {
      this.#lose(row, "dropped", this.#words.noNetwork);
      return;
    }
    this.#tellOthers(row, subnet);
    const fields = FIELDS_OF[kind](row);
    const { aliases, others } = isRange ? NO_ALIASES : aliasesOf(row, fields.hostname);
    if (others.length > 0) this.#lose(row, "dropped", this.#words.noAliases(others.join(", ")));
    this.#add(`${kind}s`, row.line, aliases.length > 0 ? { ...fields, aliases } : fields, subnet.planned);
  }

  // What a row says of its network must have been said where that was made.
  #tellOthers(row: Row, { network, row: first }: Placed): void {
    if (row.line === first?.line) return;
    for (const name of OF_NETWORK) {
      const value = row.said[name];
      if (value && value !== first?.said[name]) {
        const cidr = formatNetwork(network);
        const why = first ? this.#words.takenFrom(cidr, first.line) : this.#words.ofServer(cidr);
        this.#warn(row.line, "dropped", `${name} ${value}`, why);
      }
    }
  }

  #tellUnread(): void {
    const used = new Set(Object.values(this.#columns));
    for (const [at, name] of this.#table.names.entries()) {
      const rows = used.has(at) ? [] : this.#table.rows.filter(({ cells }) => cells[at]);
      const [first] = rows;
      if (first) this.#warn(first.line, "dropped", this.#words.column(name, rows.length), this.#words.unread);
    }
  }

  #exactly(wanted: Network): Placed | undefined {
    return this.#subnets.find(
      ({ network }) =>
        network.family === wanted.family &&
        network.length === wanted.length &&
        network.first === wanted.first,
    );
  }

  // Of networks of the table that hold an address the longest, else the subnet of the server.
  #subnetOf(text: string, line: number): Placed | undefined {
    const address = parseAddress(text);
    if (address === null) return undefined;
    const { family, value } = address;
    const isAround = (network: Network) =>
      network.family === family && around(family, value, network.length).first === network.first;
    const holding = this.#subnets.filter(({ row, network }) => row !== null && isAround(network));
    const longest = holding.toSorted((a, b) => b.network.length - a.network.length)[0];
    if (longest !== undefined) return longest;
    const there = this.#there.find(isAround);
    return there && (this.#exactly(there) ?? this.#place(there, line, {}, null));
  }

  #add(family: Family, line: number, fields: Fields, inside?: Planned): Planned {
    const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
    const planned: Planned = {
      ref: `${family}-${this.#objects.length + 1}`,
      family,
      line,
      ...(inside ? { inside: inside.ref } : {}),
      fields: Object.fromEntries(kept),
    };
    this.#objects.push(planned);
    return planned;
  }

  #lose(row: Row, reason: Reason, why: string): void {
    const { ip, start, network } = row.said;
    this.#lost.add(row.line);
    this.#warn(
      row.line,
      reason,
      [kindOf(row) ?? "row", ip ?? start ?? network].filter(Boolean).join(" "),
      why,
    );
  }

  #warn(line: number, reason: Reason, what: string, why: string): void {
    this.#warnings.push({ line, reason, what, why });
  }
}

function kindOf({ said }: Row): Kind | null {
  const named = said.kind?.toLowerCase().replace(/s$/, "");
  if (named) return KINDS.find((each) => each === named) ?? null;
  if (said.code) return "option";
  if (said.ip) {
    const isClient = said.mac || said.client || said.duid;
    return isClient ? "reservation" : said.hostname ? "assignment" : null;
  }
  return said.start ? "pool" : said.network ? "subnet" : null;
}

function cidrOf({ said }: Row): string {
  const { network = "", mask = "" } = said;
  return mask === "" || network.includes("/") ? network : `${network}/${lengthOf(mask)}`;
}

// Of 24 or 255.255.255.0; what is neither stays as it is.
function lengthOf(mask: string): string {
  const address = parseAddress(mask);
  if (address === null || address.family !== 4) return mask;
  const bits = address.value.toString(2).padStart(32, "0");
  return /^1*0*$/.test(bits) ? String(bits.replaceAll("0", "").length) : mask;
}

// Null also where bits of hosts are set.
function exactly(cidr: string): Network | null {
  const network = parseNetwork(cidr);
  return network !== null && parseAddress(cidr.split("/")[0] ?? "")?.value === network.first ? network : null;
}

function subnetFields(row: Row): Fields {
  const { gateway, vlan, lease, hostname, description } = row.said;
  const named = kindOf(row) === "subnet" ? { name: hostname, description } : {};
  return {
    gateway,
    lease_time_seconds: lease && (secondsOf(lease) ?? lease),
    vlan_id: vlan && (/^\d{1,4}$/.test(vlan) ? Number(vlan) : vlan),
    ...named,
  };
}

function optionsOf({ said }: Row, { family }: Network): Fields[] {
  const { dns, domain } = said;
  const servers = (dns ?? "").split(/[;,\s]+/).filter(Boolean);
  const found: Fields[] = [];
  if (servers.length > 0)
    found.push({ code: family === 4 ? 6 : 23, payload: { addresses: servers }, family });
  if (domain && family === 4) found.push({ code: 15, payload: { string: domain }, family });
  return found;
}

// 3600, 12h, 8.00:00:00.
function secondsOf(text: string): number | null {
  const [, count, unit = ""] = /^(\d{1,9})\s*([smhdw]?)$/.exec(text.toLowerCase()) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 1);
  const span = /^(?:(\d{1,8})[.,])?(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?$/.exec(text);
  if (span === null) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = span.slice(1).map((part) => Number(part ?? 0));
  return Math.min(((days * 24 + hours) * 60 + minutes) * 60 + seconds, 2 ** 31 - 1);
}

const FIELDS_OF: Readonly<Record<"pool" | "exclude" | "reservation" | "assignment", (row: Row) => Fields>> = {
  pool: ({ said }) => ({ ...rangeOf(said), name: said.hostname }),
  exclude: ({ said }) => ({ ...rangeOf(said), description: described(said) }),
  reservation: ({ said }) => ({ ip: said.ip, ...clientOf(said), ...namedBy(said) }),
  assignment: ({ said }) => ({ ip: said.ip, hostname: said.hostname, description: said.description }),
};

function rangeOf(said: Row["said"]): Fields {
  const start = said.start ?? said.ip;
  return { start_ip: start, end_ip: said.end ?? start };
}

// A client id of six octets is a hardware address, as Windows has it.
function clientOf({ mac, duid, client }: Row["said"]): Fields {
  const digits = client === undefined ? null : octets(client);
  if (client === undefined) return { mac, duid };
  if (digits === null) return { mac, duid, client_id: client };
  const colons = digits.match(/../g)?.join(":");
  return digits.length === 12 ? { duid, mac: colons } : { mac, duid, client_id: colons };
}

// A name that can be none of a host goes before the description.
function namedBy(said: Row["said"]): Fields {
  if (said.hostname && HOST.test(said.hostname)) {
    return { hostname: said.hostname, description: said.description };
  }
  return { description: described(said) };
}

const MOST_ALIASES = 32;
const NO_ALIASES = { aliases: [], others: [] } as const;

// The names of one cell, and those that cannot be aliases of the host: without a host name, all.
function aliasesOf(
  { said }: Row,
  hostname: unknown,
): { aliases: readonly string[]; others: readonly string[] } {
  const names = (said.aliases ?? "").split(/[;,\s]+/).filter(Boolean);
  if (typeof hostname !== "string" || hostname === "") return { aliases: [], others: names };
  const valid = names.filter((name) => HOST.test(name)).map((name) => name.toLowerCase());
  const wanted = [...new Set(valid)].filter((name) => name !== hostname.toLowerCase());
  const invalid = names.filter((name) => !HOST.test(name));
  return { aliases: wanted.slice(0, MOST_ALIASES), others: [...invalid, ...wanted.slice(MOST_ALIASES)] };
}

function described({ hostname, description }: Row["said"]): string | undefined {
  return [hostname, description].filter(Boolean).join(": ") || undefined;
}
