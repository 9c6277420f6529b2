// The map of a subnet, what is free in it, and the reverse zones that hold its addresses.
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { SpaceMap } from "../../parts/space/SpaceMap.tsx";
import { hasPastMap, parseNetwork } from "../../pure/space.ts";
import { countsOf } from "../../pure/tiles.ts";
import { mapOf } from "./reads.ts";
import { text } from "./text.ts";

type Block = components["schemas"]["SubnetBlock"];
const FREE = 8; // addresses that are named
const KINDS = [
  ["lease", "leased"],
  ["reservation", "reserved"],
  ["assignment", "assigned"],
  ["exclude", "excluded_exact"],
  ["pool", "pool_exact"],
  ["free", "free_exact"],
] as const;

export function SubnetMap({ id }: { id: string }) {
  const { data, error } = useAsk(mapOf(id));
  const map = data?.data;
  const network = useMemo(() => (map ? parseNetwork(map.cidr) : null), [map]);
  const blocks = useMemo(
    () => (map?.blocks ?? []).map(({ cidr, ...block }) => ({ cidr, share: shareOf(block) })),
    [map],
  );
  const counts = useMemo(() => (map?.runs.length ? countsOf(map.runs) : sums(map?.blocks ?? [])), [map]);
  return (
    <div className="stack">
      {error && <p className="notice bad">{error.message}</p>}
      {map && network && <SpaceMap network={network} runs={map.runs} blocks={blocks} counts={counts} />}
      {map && network && hasPastMap(network) && (
        <p>
          <Link to={"/time" as never} search={{ q: map.cidr } as never}>
            {text.past}
          </Link>
        </p>
      )}
      {(map || error) && <FreeAddresses id={id} /> /* behind the map, which would wait for these otherwise */}
      {(map || error) && <ReverseZones id={id} />}
    </div>
  );
}

function shareOf({ leased, reserved, assigned, excluded, addresses }: Omit<Block, "cidr">): number {
  return Math.min(1, (leased + reserved + assigned + excluded) / addresses);
}

function sums(blocks: readonly Block[]) {
  return KINDS.map(([kind, name]) => ({
    kind,
    addresses: blocks.reduce((all, block) => all + BigInt(block[name]), 0n),
  }));
}

function FreeAddresses({ id }: { id: string }) {
  const params = { path: { id }, query: { count: FREE } };
  const { data } = useAsk(call("get", "/api/v1/subnets/{id}/free", { params }));
  if (!data) return null;
  return (
    <section>
      <h2>{text.free}</h2>
      <p className="quiet">{text.freeExplain}</p>
      <p className="mono">{data.data.items.map(({ ip }) => ip).join("  ") || text.noneFree}</p>
    </section>
  );
}

function ReverseZones({ id }: { id: string }) {
  const { data } = useAsk(call("get", "/api/v1/subnets/{id}/reverse-zones", { params: { path: { id } } }));
  if (!data) return null;
  return (
    <section>
      <h2>{text.zones}</h2>
      <ul>
        {data.data.items.map(({ name, zone_id }) => (
          <li key={name}>
            <span className="mono">{name}</span>{" "}
            {zone_id === null && <span className="quiet">{text.zoneMissing}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
