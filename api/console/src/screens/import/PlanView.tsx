// What a plan contains, what of it already exists, and what its source could not take over; then its import.
import { useMemo } from "react";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Meter } from "../../parts/Meter.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { localRows } from "../../parts/table/localRows.ts";
import type { Compared, Difference } from "../../pure/existing.ts";
import type { Plan, Planned, Warned } from "../../pure/plan.ts";
import { Importing } from "./Importing.tsx";
import { useCompared, useTarget } from "./reading.ts";
import { text } from "./text.ts";

export function PlanView({ plan }: { plan: Plan }) {
  const target = useTarget();
  const { data: compared, error } = useCompared(plan, target?.id);
  const { read, warned } = plan.statements;
  return (
    <>
      <section className="panel stack" aria-label={text.read}>
        <h2>{text.read}</h2>
        <p>{text.statements(plan.format, read, warned)}</p>
        {error && <p className="notice bad">{error.message}</p>}
        {!compared && !error && <p role="status">{text.lookingUp}</p>}
        {compared && <Counts plan={plan} compared={compared} />}
        {compared && <Differences differences={compared.differences} />}
        <Warnings warnings={plan.warnings} />
      </section>
      {compared && target && <UnderLimit plan={plan} compared={compared} tenant={target.name} />}
    </>
  );
}

function Counts({ plan, compared }: { plan: Plan; compared: Compared }) {
  const families = [...new Set(plan.objects.map(({ family }) => family))];
  const count = (of: readonly Planned[], family: string) =>
    of.filter((each) => each.family === family).length.toLocaleString();
  if (families.length === 0) return null;
  return (
    <>
      <PlainTable
        label={text.counts.title}
        rows={families}
        idOf={(family) => family}
        columns={[
          { title: text.counts.family, cell: (family) => text.families[family as never] ?? family },
          { title: text.counts.planned, cell: (family) => count(plan.objects, family) },
          { title: text.counts.kept, cell: (family) => count(compared.kept, family) },
          { title: text.counts.wanted, cell: (family) => count(compared.wanted, family) },
        ]}
      />
      {compared.kept.length > 0 && <p className="quiet">{text.keptExplain}</p>}
    </>
  );
}

function UnderLimit({ plan, compared, tenant }: { plan: Plan; compared: Compared; tenant: string }) {
  const board = useAsk(call("get", "/api/v1/dashboard")).data?.data;
  if (board === undefined) return null;
  const { managed_ips: used, managed_ips_limit: limit } = board;
  const more = compared.wanted.filter(({ managed }) => managed).length;
  const over = limit === 0 ? 0 : Math.max(0, used + more - limit);
  return (
    <section className="panel stack" aria-label={text.importing}>
      <h2>{text.importing}</h2>
      <p>{text.into(tenant)}</p>
      <Meter
        label={text.limit}
        part={Math.min(used + more, limit)}
        of={limit}
        says={text.ofLimit(used, more, limit)}
      />
      {over > 0 && (
        <p role="alert" className="notice bad">
          {text.overLimit(over)}
        </p>
      )}
      <Importing plan={plan} compared={compared} isOver={over > 0} />
    </section>
  );
}

const different: readonly Column<Difference>[] = [
  { id: "line", title: text.columns.line, cell: ({ planned }) => planned.line, width: "5rem" },
  { id: "what", title: text.columns.what, cell: ({ planned }) => planned.label, width: "minmax(12rem, 2fr)" },
  {
    id: "field",
    title: text.columns.field,
    cell: ({ fields }) => fields.join(", "),
    width: "minmax(12rem, 3fr)",
  },
];

function Differences({ differences }: { differences: readonly Difference[] }) {
  const rows = useMemo(() => localRows(differences), [differences]);
  if (differences.length === 0) return null;
  const title = text.differences(differences.length);
  return (
    <>
      <h3>{title}</h3>
      <p className="quiet">{text.differencesExplain}</p>
      <DataTable
        name="import-differences"
        label={title}
        columns={different}
        rows={rows}
        idOf={({ planned }) => planned.ref}
      />
    </>
  );
}

const columns: readonly Column<Warned>[] = [
  { id: "line", title: text.columns.line, cell: ({ line }) => line, width: "5rem" },
  {
    id: "reason",
    title: text.columns.reason,
    cell: ({ reason }) => text.reasons[reason as never] ?? reason,
    width: "10rem",
  },
  { id: "what", title: text.columns.what, cell: ({ what }) => what, width: "minmax(12rem, 2fr)" },
  { id: "why", title: text.columns.why, cell: ({ why }) => why, width: "minmax(16rem, 3fr)" },
];

function Warnings({ warnings }: { warnings: readonly Warned[] }) {
  const rows = useMemo(() => localRows(warnings), [warnings]);
  const places = useMemo(() => new Map(warnings.map((each, at) => [each, String(at)])), [warnings]);
  if (warnings.length === 0) return null;
  const title = text.warnings(warnings.length);
  return (
    <>
      <h3>{title}</h3>
      <DataTable
        name="import-warnings"
        label={title}
        columns={columns}
        rows={rows}
        idOf={(each) => places.get(each) ?? ""}
      />
    </>
  );
}
