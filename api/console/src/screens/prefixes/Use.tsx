// How full a prefix is. Asked for each row in sight, once it has stayed there for a moment.
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Meter } from "../../parts/space/Meter.tsx";
import { useSettled } from "../../parts/useSettled.ts";
import { freeText, type Prefix } from "./rows.tsx";

const STAYS_MS = 250;
const FRESH_MS = 60_000;

export function useUse(prefixId: string) {
  const settled = useSettled(prefixId, STAYS_MS);
  const params = { path: { id: prefixId } };
  const asked = call("get", "/api/v1/prefixes/{id}/utilisation", { params });
  return useAsk(settled === prefixId ? asked : null, { staleTime: FRESH_MS }).data?.data;
}

export function UseOf({ prefixId }: { prefixId: string }) {
  const use = useUse(prefixId);
  return use ? <Meter share={use.utilisation} /> : null;
}

export function FreeOf({ prefix }: { prefix: Prefix }) {
  const use = useUse(prefix.id);
  return use ? freeText(prefix.cidr, 1 - use.utilisation) : null;
}
