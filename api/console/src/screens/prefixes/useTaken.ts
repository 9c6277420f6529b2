// The networks of all subnets of a prefix.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { call, keyOf } from "../../api/calls.ts";
import type { Problem } from "../../api/problem.ts";
import { type Network, parseNetwork } from "../../pure/space.ts";
import { firstPages } from "./useTree.ts";

const MOST_PAGES = 100;

export function useTaken(prefix_id: string): UseQueryResult<Network[], Problem> {
  const asked = call("get", "/api/v1/subnets", { params: { query: { prefix_id, limit: 1000 } } });
  return useQuery<Network[], Problem>({
    queryKey: [...keyOf(asked), "networks"],
    queryFn: async ({ signal }) => {
      const { items } = await firstPages(asked, MOST_PAGES, signal);
      return items.flatMap(({ cidr }) => parseNetwork(cidr) ?? []);
    },
  });
}
