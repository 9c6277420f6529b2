// What the tenant has of what a plan would make: prefixes, subnets, classes and definitions always, and what stands in a
// subnet or class only where the plan has something for one that is there already.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { send, useAsk } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import type { Problem } from "../../api/problem.ts";
import type { components } from "../../api/schema";
import { useStore } from "../../parts/useStore.ts";
import { newKey } from "../../pure/key.ts";
import type { Family, Plan } from "../../pure/plan.ts";
import { type Row, stepsOf, type There } from "../../pure/planSteps.ts";
import { type Network, parseNetwork } from "../../pure/space.ts";
import type { Table } from "../../pure/tablePlan.ts";
import { session } from "../../session/session.ts";
import { tenant as chosenTenant } from "../../store/tenant.ts";

type Tenant = Pick<components["schemas"]["Tenant"], "id" | "name">;
const FIRST: readonly Family[] = ["option-definitions", "client-classes", "prefixes", "subnets"];
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

export function useThere(plan: Plan, tenant: string | undefined): UseQueryResult<There, Problem> {
  const name = useMemo(() => [newKey(), plan.objects.length].join(" "), [plan]); // the plan itself is long
  return useQuery<There, Problem>({
    queryKey: ["import", tenant, name],
    queryFn: ({ signal }) => readThere(plan, String(tenant), signal),
    enabled: tenant !== undefined,
    structuralSharing: false,
  });
}

// The networks of the tenant's subnets, in which rows of a table may lie. They are read once for a table: those that it
// makes itself must not change its plan.
export function useSubnets(
  table: Table,
  tenant: string | undefined,
): UseQueryResult<readonly Network[], Problem> {
  const reading = useMemo(() => [newKey(), table.line].join(" "), [table]);
  return useQuery<readonly Network[], Problem>({
    queryKey: ["import", "subnets", tenant, reading],
    queryFn: async ({ signal }) => {
      const rows = await readList("subnets", String(tenant), signal);
      return rows.map(({ cidr }) => parseNetwork(String(cidr))).filter((network) => network !== null);
    },
    enabled: ({ state }) => tenant !== undefined && state.data === undefined,
    structuralSharing: false, // of bigints
  });
}

async function readThere(plan: Plan, tenant: string, signal: AbortSignal): Promise<There> {
  const first = await readAll(
    FIRST.filter((family) => isNeeded(plan, family)),
    tenant,
    signal,
  );
  const { missing, kept } = stepsOf(plan, first, tenant);
  const keptRefs = new Set(kept.map(({ ref }) => ref));
  const refs = new Set(missing.map(({ ref }) => ref));
  // An object that stands in nothing, or in what is there, may be there too.
  const doubtful = plan.objects.filter(
    ({ ref, family, inside }) =>
      refs.has(ref) && !FIRST.includes(family) && (!inside || keptRefs.has(inside)),
  );
  const families = new Set(doubtful.map(({ family }) => family));
  if (families.size > 0 && plan.objects.some(({ family }) => family === "options")) {
    for (const family of ["pools", "reservations", "options"] as const) families.add(family);
  }
  return { ...first, ...(await readAll([...families], tenant, signal)) };
}

function isNeeded(plan: Plan, family: Family): boolean {
  const isNamed = family === "client-classes" && plan.objects.some(({ fields }) => fields.class);
  return isNamed || plan.objects.some((planned) => planned.family === family);
}

async function readAll(families: readonly Family[], tenant: string, signal: AbortSignal): Promise<There> {
  const lists = families.map(async (family) => [family, await readList(family, tenant, signal)]);
  return Object.fromEntries(await Promise.all(lists));
}

async function readList(family: Family, tenant_id: string, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const query = { tenant_id, limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
    const list = call("get", `/api/v1/${family}`, { params: { query } } as never) as Call<{
      items: Row[];
      next_cursor: string | null;
    }>;
    const { items, next_cursor } = (await send(list, signal)).data;
    rows.push(...items);
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
