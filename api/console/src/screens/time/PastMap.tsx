// The map of a subnet at the moment: of the one that holds what was typed, or of those inside it the one that is chosen.
import { useMemo } from "react";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { Choice } from "../../parts/form/Choice.tsx";
import { SpaceMap } from "../../parts/space/SpaceMap.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import type { Identified } from "../../pure/identify.ts";
import { formatNetwork, hasPastMap, parseNetwork } from "../../pure/space.ts";
import { countsOf } from "../../pure/tiles.ts";
import { text } from "./text.ts";

type Subnet = components["schemas"]["ListedSubnet"];
const OFFERED = 200; // subnets of what was typed, to choose from

export function PastMap({ where, at }: { where: Identified; at: string }) {
  const [words, change] = useUrl();
  const subnets = useSubnets(where);
  const subnet = subnets.find(({ id }) => id === words.subnet) ?? subnets[0];
  const network = subnet && parseNetwork(subnet.cidr);
  if (!subnet || !network) return null;
  return (
    <section className="stack">
      <h2>{text.map}</h2>
      {subnets.length > 1 && (
        <Choice
          label={text.subnet}
          value={subnet.id}
          options={subnets.map(({ id, cidr, name }) => ({ id, title: `${cidr} ${name}` }))}
          onChange={(id) => change({ subnet: id })}
        />
      )}
      {hasPastMap(network) ? (
        <Drawn key={subnet.id} id={subnet.id} at={at} />
      ) : (
        <p className="quiet">{text.tooWide(subnet.cidr)}</p>
      )}
    </section>
  );
}

function Drawn({ id, at }: { id: string; at: string }) {
  const params = { path: { id }, query: { at } };
  // While the slider moves, the map before stays until the next one is there.
  const { data, error } = useAsk(call("get", "/api/v1/subnets/{id}/map", { params }), {
    placeholderData: (before) => before,
  });
  const map = data?.data;
  const network = useMemo(() => (map ? parseNetwork(map.cidr) : null), [map]);
  const counts = useMemo(() => countsOf(map?.runs ?? []), [map]);
  if (error) return <p className="notice bad">{error.message}</p>;
  if (!map || !network) return null;
  return <SpaceMap network={network} runs={map.runs} blocks={NONE} counts={counts} word="look" />;
}
const NONE = [] as const;

// The subnet around the address or the network's first address, then those inside the network.
function useSubnets(where: Identified): readonly Subnet[] {
  const tenant = useTenant();
  const [first = ""] = where.value.split("/");
  const network = parseNetwork(where.value);
  const around = useAsk(listed({ contains: first, ...tenant })).data?.data.items ?? [];
  const asked = network && listed({ within: formatNetwork(network), ...tenant });
  const inside = useAsk(asked).data?.data.items ?? [];
  return [...around, ...inside.filter(({ id }) => around.every((each) => each.id !== id))];
}

function listed(query: { contains?: string; within?: string; tenant_id?: string }) {
  return call("get", "/api/v1/subnets", { params: { query: { ...query, limit: OFFERED } } });
}
