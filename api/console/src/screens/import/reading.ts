// What the tenant has of the objects of a plan, and the subnets in which rows of a table are.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { send, useAsk } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import type { Problem } from "../../api/problem.ts";
import type { components } from "../../api/schema";
import { useStore } from "../../parts/useStore.ts";
import { type Compared, compare, type Row } from "../../pure/existing.ts";
import { newKey } from "../../pure/key.ts";
import type { Table } from "../../pure/plainTable.ts";
import type { Plan } from "../../pure/plan.ts";
import { session } from "../../session/session.ts";
import { tenant as chosenTenant } from "../../store/tenant.ts";

type Tenant = Pick<components["schemas"]["Tenant"], "id" | "name">;
const DEFAULT = call("get", "/api/v1/tenants", { params: { query: { is_default: true } } });

// The tenant that is chosen, else the token's own, else the default one.
export function useTarget(): Tenant | undefined {
  const chosen = useStore(chosenTenant);
  const now = useStore(session);
  const id = chosen ?? (now.state === "in" ? now.self.tenant_id : null);
  const named = useAsk(
    id === null ? null : call("get", "/api/v1/tenants/{id}", { params: { path: { id } } }),
  );
  const fallback = useAsk(id === null ? DEFAULT : null);
  return id === null ? fallback.data?.data.items[0] : named.data?.data;
}

export function useCompared(plan: Plan, tenant: string | undefined): UseQueryResult<Compared, Problem> {
  const name = useMemo(() => [newKey(), plan.objects.length].join(" "), [plan]); // the plan itself is long
  return useQuery<Compared, Problem>({
    queryKey: ["import", tenant, name],
    queryFn: ({ signal }) =>
      compare(plan, String(tenant), (family) => readList(family, String(tenant), signal)),
    enabled: tenant !== undefined,
    structuralSharing: false,
  });
}

// They are read once per table: an import must not change its own plan.
export function useSubnets(
  table: Table,
  tenant: string | undefined,
): UseQueryResult<readonly Row[], Problem> {
  const name = useMemo(() => [newKey(), table.rows.length].join(" "), [table]);
  return useQuery<readonly Row[], Problem>({
    queryKey: ["import", "subnets", tenant, name],
    queryFn: ({ signal }) => readList("subnets", String(tenant), signal),
    enabled: ({ state }) => tenant !== undefined && state.data === undefined,
    structuralSharing: false,
  });
}

async function readList(family: string, tenant_id: string, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const query = { tenant_id, limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
    const list = call("get", `/api/v1/${family}` as never, { params: { query } } as never) as Call<{
      items: Row[];
      next_cursor: string | null;
    }>;
    const { items, next_cursor } = (await send(list, signal)).data;
    rows.push(...items);
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
