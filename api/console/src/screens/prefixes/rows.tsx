// The rows of the tree: prefixes, below those that are open their subnets, and where there are more of these a row
// that brings them.
import type { components } from "../../api/schema";
import { Meter } from "../../parts/space/Meter.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { counted, countText, parseNetwork } from "../../pure/space.ts";
import { text } from "./text.ts";

export type Prefix = components["schemas"]["Prefix"];
export type ListedPrefix = components["schemas"]["ListedPrefix"];
export type Subnet = components["schemas"]["ListedSubnet"];
export type TreeRow =
  | { readonly kind: "prefix"; readonly id: string; readonly open: boolean; readonly prefix: ListedPrefix }
  | { readonly kind: "subnet"; readonly id: string; readonly level: number; readonly subnet: Subnet }
  | { readonly kind: "more"; readonly id: string; readonly prefixId: string };

export function sizeText(cidr: string): string {
  const network = parseNetwork(cidr);
  if (network === null) return "";
  const { count, unit } = counted(network);
  return text.sized(countText(count), text.units[unit]);
}

function object(row: TreeRow): ListedPrefix | Subnet | null {
  if (row.kind === "prefix") return row.prefix;
  return row.kind === "subnet" ? row.subnet : null;
}

const subnet = (row: TreeRow) => (row.kind === "subnet" ? row.subnet : null);

export const columns: readonly Column<TreeRow>[] = [
  {
    id: "cidr",
    title: text.columns.cidr,
    cell: (row) => object(row)?.cidr ?? text.more,
    width: "minmax(14rem, 1fr)",
  },
  { id: "name", title: text.columns.name, cell: (row) => subnet(row)?.name, width: "minmax(8rem, 1fr)" },
  { id: "size", title: text.columns.size, cell: (row) => sizeText(object(row)?.cidr ?? ""), width: "11rem" },
  { id: "utilisation", title: text.columns.used, cell: used, width: "10rem" },
  { id: "free", title: text.columns.free, cell: free, width: "9rem" },
  { id: "gateway", title: text.columns.gateway, cell: (row) => subnet(row)?.gateway, optional: true },
  { id: "site", title: text.columns.site, cell: (row) => subnet(row)?.site, width: "minmax(6rem, 0.5fr)" },
  { id: "vlan_id", title: text.columns.vlan, cell: (row) => subnet(row)?.vlan_id, width: "4.5rem" },
  { id: "tags", title: text.columns.tags, cell: (row) => object(row)?.tags.join(", "), optional: true },
  {
    id: "description",
    title: text.columns.description,
    cell: (row) => object(row)?.description,
    optional: true,
  },
];

function used(row: TreeRow) {
  const listed = object(row);
  return listed && <Meter share={listed.utilisation} />;
}

function free(row: TreeRow) {
  const { cidr, utilisation = null } = object(row) ?? {};
  return cidr === undefined || utilisation === null ? null : freeText(cidr, 1 - utilisation);
}

// The free part of a network, counted as its size is.
export function freeText(cidr: string, share: number): string {
  const network = parseNetwork(cidr);
  if (network === null) return "";
  const { count, unit } = counted(network);
  const thousandths = BigInt(Math.round(share * 1_000_000));
  return text.sized(countText((count * thousandths) / 1_000_000n), text.units[unit]);
}
