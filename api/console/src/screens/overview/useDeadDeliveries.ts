// The deliveries that were given up, of each webhook. The API lists them below their webhook, so each is asked; only the
// list of webhooks is asked again by itself.
import { useQueries } from "@tanstack/react-query";
import { send, useAsk } from "../../api/ask.ts";
import { call, keyOf } from "../../api/calls.ts";
import type { components } from "../../api/schema";

type Schemas = components["schemas"];
export type DeadDelivery = { readonly url: string; readonly delivery: Schemas["Delivery"] };
const MOST_WEBHOOKS = 20;

export function useDeadDeliveries(refetchInterval: number): readonly DeadDelivery[] {
  const webhooks = useAsk(call("get", "/api/v1/webhooks", { params: { query: { limit: MOST_WEBHOOKS } } }), {
    refetchInterval,
  });
  const hooks = webhooks.data?.data.items ?? [];
  const pages = useQueries({
    queries: hooks.map(({ id }) => {
      const list = deadOf(id);
      return { queryKey: keyOf(list), queryFn: () => send(list) };
    }),
  });
  return hooks.flatMap(({ url }, index) =>
    (pages[index]?.data?.data.items ?? []).map((delivery) => ({ url, delivery })),
  );
}

function deadOf(webhook_id: string) {
  const query = { state: "dead", limit: 10 } as const;
  return call("get", "/api/v1/webhooks/{webhook_id}/deliveries", {
    params: { path: { webhook_id }, query },
  });
}
