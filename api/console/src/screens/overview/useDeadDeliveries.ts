// The deliveries that were given up, to all webhooks. Whose they are is asked only where there are any.
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";

type Delivery = components["schemas"]["Delivery"];
export type DeadDelivery = { readonly url: string; readonly delivery: Delivery };

const WEBHOOKS = call("get", "/api/v1/webhooks", { params: { query: { limit: 1000 } } });
const FRESH_MS = 600_000;

export function useDeadDeliveries(
  tenant: { tenant_id?: string },
  limit: number,
  refetchInterval: number,
): { items: DeadDelivery[]; next_cursor: string | null } | undefined {
  const query = { state: "dead", limit, ...tenant } as const;
  const dead = useAsk(call("get", "/api/v1/deliveries", { params: { query } }), { refetchInterval }).data
    ?.data;
  const webhooks = useAsk(dead?.items.length ? WEBHOOKS : null, { staleTime: FRESH_MS }).data?.data.items;
  const urls = new Map(webhooks?.map(({ id, url }) => [id, url]));
  return (
    dead && {
      ...dead,
      items: dead.items.map((delivery) => ({ delivery, url: urls.get(delivery.webhook_id) ?? "" })),
    }
  );
}
