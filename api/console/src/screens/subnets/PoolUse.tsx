import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Meter } from "../../parts/space/Meter.tsx";
import { text } from "./text.ts";

export function PoolUse({ id }: { id: string }) {
  const { data } = useAsk(call("get", "/api/v1/pools/{id}/utilisation", { params: { path: { id } } }));
  if (!data) return null;
  return (
    <p>
      {text.poolUse}: <Meter share={data.data.utilisation} />
    </p>
  );
}
