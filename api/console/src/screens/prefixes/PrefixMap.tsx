import { useMemo } from "react";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { SpaceMap } from "../../parts/space/SpaceMap.tsx";
import { parseNetwork } from "../../pure/space.ts";
import { countsOf } from "../../pure/tiles.ts";

export function PrefixMap({ id }: { id: string }) {
  const { data, error } = useAsk(call("get", "/api/v1/prefixes/{id}/map", { params: { path: { id } } }));
  const map = data?.data;
  const network = useMemo(() => (map ? parseNetwork(map.cidr) : null), [map]);
  const blocks = useMemo(
    () =>
      (map?.blocks ?? []).map(({ cidr, addresses, allocated }) => ({ cidr, share: allocated / addresses })),
    [map],
  );
  const counts = useMemo(() => {
    if (!map || map.runs.length > 0) return countsOf(map?.runs ?? []);
    const sum = (name: "allocated_exact" | "free_exact") =>
      map.blocks.reduce((all, block) => all + BigInt(block[name]), 0n);
    return [
      { kind: "subnet", addresses: sum("allocated_exact") },
      { kind: "free", addresses: sum("free_exact") },
    ];
  }, [map]);
  if (error) return <p className="notice bad">{error.message}</p>;
  if (!map || network === null) return null;
  return <SpaceMap network={network} runs={map.runs} blocks={blocks} counts={counts} />;
}
