// The plan of a table: its rows belong to subnets that the tenant already has.
import { useMemo } from "react";
import { planOf, type Table } from "../../pure/plainTable.ts";
import { PlanView } from "./PlanView.tsx";
import { useSubnets, useTarget } from "./reading.ts";
import { text } from "./text.ts";

export function FromTable({ table }: { table: Table }) {
  const { data: subnets, error } = useSubnets(table, useTarget()?.id);
  const plan = useMemo(() => subnets && planOf(table, subnets, text.table), [table, subnets]);
  if (plan) return <PlanView plan={plan} />;
  return error ? <p className="notice bad">{error.message}</p> : <p role="status">{text.lookingUp}</p>;
}
