import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema.d.ts";
import { Meter } from "../../parts/space/Meter.tsx";
import { text } from "./text.ts";

type Schemas = components["schemas"];

export function PoolUse({ pool }: { pool: Schemas["Pool"] }) {
  const { data } = useAsk(
    call("get", "/api/v1/pools/{id}/utilisation", { params: { path: { id: pool.id } } }),
  );
  return (
    <>
      {data && (
        <p>
          {text.poolUse}: <Meter share={data.data.utilisation} />
        </p>
      )}
      {pool.in_use.length > 0 && (
        <p>
          {text.inUse}: {pool.in_use.map(described).join(", ")}
        </p>
      )}
    </>
  );
}

function described({ ip, used_by, leased }: Schemas["AddressInUse"]) {
  return `${ip} (${text.usedBy[used_by]}${leased ? `, ${text.leased}` : ""})`;
}
