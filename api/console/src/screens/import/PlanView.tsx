// What a plan has, what of it is there already, what its source says that could not be taken over, and its making.
import { useMemo } from "react";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Meter } from "../../parts/Meter.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { localRows } from "../../parts/table/localRows.ts";
import { FAMILIES, type Family, type Plan, type Warned } from "../../pure/plan.ts";
import { type Steps, stepsOf } from "../../pure/planSteps.ts";
import { Making } from "./Making.tsx";
import { text } from "./text.ts";
import { useTarget, useThere } from "./there.ts";

export function PlanView({ plan }: { plan: Plan }) {
  const target = useTarget();
  const there = useThere(plan, target?.id);
  const steps = useMemo(
    () => (there.data && target ? stepsOf(plan, there.data, target.id) : null),
    [plan, there.data, target],
  );
  const { read, warned } = plan.statements;
  return (
    <>
      <section className="panel stack" aria-label={text.read}>
        <h2>{text.read}</h2>
        <p>{text.statements(plan.format, read, warned)}</p>
        {there.error && <p className="notice bad">{there.error.message}</p>}
        {steps === null && !there.error && <p role="status">{text.lookingUp}</p>}
        {steps && <Counts plan={plan} steps={steps} />}
        <Warnings warnings={plan.warnings} />
      </section>
      {steps && target && <MakingUnderCap steps={steps} tenant={target.name} />}
    </>
  );
}

function Counts({ plan, steps }: { plan: Plan; steps: Steps }) {
  const count = (of: readonly { family: Family }[], family: Family) =>
    of.filter((each) => each.family === family).length;
  const rows = FAMILIES.map((family) => ({
    family,
    planned: count(plan.objects, family),
    kept: count(steps.kept, family),
    missing: count(steps.missing, family),
  })).filter(({ planned }) => planned > 0);
  return (
    <>
      <PlainTable
        label={text.read}
        rows={rows}
        idOf={({ family }) => family}
        columns={[
          { title: text.counts.family, cell: ({ family }) => text.families[family] },
          { title: text.counts.planned, cell: ({ planned }) => planned.toLocaleString() },
          { title: text.counts.kept, cell: ({ kept }) => kept.toLocaleString() },
          { title: text.counts.missing, cell: ({ missing }) => missing.toLocaleString() },
        ]}
      />
      {steps.kept.length > 0 && <p className="quiet">{text.keptExplain}</p>}
    </>
  );
}

function MakingUnderCap({ steps, tenant }: { steps: Steps; tenant: string }) {
  const board = useAsk(call("get", "/api/v1/dashboard")).data?.data;
  if (board === undefined) return null;
  const { managed_ips: used, managed_ips_limit: cap } = board;
  const more = steps.missing.filter(({ isManaged }) => isManaged).length;
  const over = cap === 0 ? 0 : Math.max(0, used + more - cap);
  return (
    <section className="panel stack" aria-label={text.tryFirst}>
      <p>{text.into(tenant)}</p>
      <Meter label={text.cap} part={Math.min(used + more, cap)} of={cap} says={text.ofCap(used, more, cap)} />
      {over > 0 && (
        <p role="alert" className="notice bad">
          {text.overCap(over)}
        </p>
      )}
      <Making steps={steps} isOver={over > 0} />
    </section>
  );
}

const columns: readonly Column<Warned>[] = [
  { id: "line", title: text.warning.line, cell: ({ line }) => line, width: "5rem" },
  { id: "reason", title: text.warning.reason, cell: ({ reason }) => text.reasons[reason], width: "9rem" },
  { id: "what", title: text.warning.what, cell: ({ what }) => what, width: "minmax(12rem, 2fr)" },
  { id: "why", title: text.warning.why, cell: ({ why }) => why, width: "minmax(16rem, 3fr)" },
];

function Warnings({ warnings }: { warnings: readonly Warned[] }) {
  const rows = useMemo(() => localRows(warnings), [warnings]);
  const places = useMemo(() => new Map(warnings.map((each, at) => [each, String(at)])), [warnings]);
  if (warnings.length === 0) return null;
  return (
    <>
      <h3>{text.warnings(warnings.length)}</h3>
      <DataTable
        name="import-warnings"
        label={text.warnings(warnings.length)}
        columns={columns}
        rows={rows}
        idOf={(each) => places.get(each) ?? ""}
      />
    </>
  );
}
