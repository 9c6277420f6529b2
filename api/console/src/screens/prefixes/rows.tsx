// The rows of the tree: prefixes, below those that are open their subnets, and where there are more of these a row
// that brings them.
import type { components } from "../../api/schema";
import { Meter } from "../../parts/space/Meter.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { counted, countText, parseNetwork } from "../../pure/space.ts";
import { text } from "./text.ts";
import { FreeOf, UseOf } from "./Use.tsx";

export type Prefix = components["schemas"]["Prefix"];
export type Subnet = components["schemas"]["ListedSubnet"];
export type TreeRow =
  | { readonly kind: "prefix"; readonly id: string; readonly open: boolean; readonly prefix: Prefix }
  | { readonly kind: "subnet"; readonly id: string; readonly level: number; readonly subnet: Subnet }
  | { readonly kind: "more"; readonly id: string; readonly prefixId: string };

export function sizeText(cidr: string): string {
  const network = parseNetwork(cidr);
  if (network === null) return "";
  const { count, unit } = counted(network);
  return text.sized(countText(count), text.units[unit]);
}

function object(row: TreeRow): Prefix | Subnet | null {
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
  if (row.kind === "prefix") return <UseOf prefixId={row.prefix.id} />;
  return row.kind === "subnet" ? <Meter share={row.subnet.utilisation} /> : null;
}

function free(row: TreeRow) {
  if (row.kind === "prefix") return <FreeOf prefix={row.prefix} />;
  if (row.kind !== "subnet" || row.subnet.utilisation === null) return null;
  return freeText(row.subnet.cidr, 1 - row.subnet.utilisation);
}

// The free part of a network, counted as its size is.
export function freeText(cidr: string, share: number): string {
  const network = parseNetwork(cidr);
  if (network === null) return "";
  const { count, unit } = counted(network);
  const thousandths = BigInt(Math.round(share * 1_000_000));
  return text.sized(countText((count * thousandths) / 1_000_000n), text.units[unit]);
}
