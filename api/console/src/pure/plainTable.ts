// A table with the columns ip, mac and hostname as a plan. A row with a MAC address is a reservation, another one a static
// assignment, in the smallest subnet of the server that contains its address. Other tables are read by `ipam import`.
import { type CsvRow, rowsOf, separatorOf } from "./csv.ts";
import type { Row } from "./existing.ts";
import { octets } from "./mentions.ts";
import type { BadRow, Plan, Planned, Warned } from "./plan.ts";
import { around, formatAddress, type Network, parseAddress, parseNetwork } from "./space.ts";

export const COLUMNS = ["ip", "mac", "hostname"] as const;
type Column = (typeof COLUMNS)[number];

export type Table = {
  readonly names: readonly string[];
  readonly rows: readonly CsvRow[];
};
// Reasons that a row is not imported; the screen has the words.
export type Words = {
  readonly noAddress: (value: string) => string;
  readonly noMac: (value: string) => string;
  readonly noName: string;
  readonly noSubnet: (ip: string) => string;
  readonly tooManyCells: string;
  readonly column: (name: string) => string;
  readonly unread: string;
};

// Throws OpenQuote. Null: there is no row below a header. Lines that begin with # or sep= are left out.
export function tableOf(text: string): Table | null {
  const lines = text.split(/\r\n|\n|\r/);
  const at = lines.findIndex((line) => line.trim() !== "" && !/^(#|sep=)/i.test(line));
  const header = lines[at];
  if (header === undefined) return null;
  const [first, ...rows] = rowsOf(text, separatorOf(header)).filter(({ line }) => line > at);
  if (first === undefined || rows.length === 0) return null;
  return { names: first.cells.map((name) => name.toLowerCase()), rows };
}

// Names of the header that are wrong: a table needs ip, and mac or hostname, each once.
export function hasColumns({ names }: Table): boolean {
  const counts = COLUMNS.map((column) => names.filter((name) => name === column).length);
  const [ip = 0, mac = 0, hostname = 0] = counts;
  return ip === 1 && mac + hostname >= 1 && mac <= 1 && hostname <= 1;
}

export function planOf(table: Table, subnets: readonly Row[], words: Words): Plan {
  const networks = subnets
    .flatMap(({ id, cidr }) => {
      const network = parseNetwork(String(cidr));
      return network === null ? [] : [{ id, network }];
    })
    .sort((one, other) => other.network.length - one.network.length);
  const read = table.rows.map((row) => rowOf(row, table.names, networks, words));
  const objects = read.filter((each): each is Planned => "ref" in each);
  const badRows = read.filter((each): each is BadRow => "why" in each);
  return {
    format: "csv",
    statements: { read: objects.length, warned: badRows.length },
    objects,
    there: [],
    warnings: unreadColumns(table, words),
    badRows,
  };
}

function unreadColumns({ names, rows }: Table, words: Words): Warned[] {
  return names.flatMap((name, at) => {
    const first = rows.find(({ cells }) => cells[at]);
    if (first === undefined || (COLUMNS as readonly string[]).includes(name)) return [];
    return [{ line: first.line, reason: "dropped", what: words.column(name), why: words.unread }];
  });
}

type Place = { readonly id: string; readonly network: Network };

function rowOf(
  { line, cells }: CsvRow,
  names: readonly string[],
  places: readonly Place[],
  words: Words,
): Planned | BadRow {
  const said = (column: Column) => cells[names.indexOf(column)] ?? "";
  const [ip, mac, hostname] = [said("ip"), said("mac"), said("hostname")];
  const bad = (field: Column | "", why: string) => ({ line, label: ip || mac || hostname, field, why });
  const address = parseAddress(ip);
  if (cells.length > names.length) return bad("", words.tooManyCells);
  if (address === null) return bad("ip", words.noAddress(ip));
  const digits = octets(mac);
  if (mac !== "" && digits?.length !== 12) return bad("mac", words.noMac(mac));
  if (mac === "" && hostname === "") return bad("hostname", words.noName);
  const { family, value } = address;
  const place = places.find(
    ({ network }) =>
      network.family === family && around(family, value, network.length).first === network.first,
  );
  if (place === undefined) return bad("ip", words.noSubnet(ip));
  const body = {
    ip: formatAddress(family, value),
    ...(digits === null ? {} : { mac: digits.match(/../g)?.join(":") }),
    ...(hostname === "" ? {} : { hostname }),
  };
  return plannedOf(line, digits === null ? "assignments" : "reservations", body, place.id);
}

function plannedOf(
  line: number,
  family: "assignments" | "reservations",
  body: Readonly<Record<string, unknown>>,
  subnet_id: string,
): Planned {
  const ref = `row-${line}`;
  const isReservation = family === "reservations";
  const path = isReservation ? `/subnets/${subnet_id}/reservations` : "/assignments";
  const place = isReservation ? {} : { subnet_id };
  return {
    ref,
    family,
    line,
    label: `${family} ${body.ip}`,
    managed: true,
    key: { subnet_id, ...body },
    operation: { op: "create", path, body: { ...body, ...place }, ref },
  };
}
