// Which column is which field; the plan that follows from it is below.
import { useMemo, useState } from "react";
import { Choice } from "../../parts/form/Choice.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { useSettled } from "../../parts/useSettled.ts";
import { chosen, FIELDS, guessed, hasAddresses } from "../../pure/tableColumns.ts";
import { planOf, type Table } from "../../pure/tablePlan.ts";
import { PlanView } from "./PlanView.tsx";
import { text } from "./text.ts";
import { useSubnets, useTarget } from "./there.ts";

const NONE = "";

export function FromTable({ table }: { table: Table }) {
  const [columns, setColumns] = useState(() => guessed(table.names));
  const [networks, setNetworks] = useState("");
  const settled = useSettled(networks, 300);
  const subnets = useSubnets(table, useTarget()?.id);
  const there = subnets.data;
  const plan = useMemo(
    () => (there && hasAddresses(columns) ? planOf(table, columns, settled, text.table, there) : null),
    [table, columns, settled, there],
  );
  const options = [
    { id: NONE, title: text.noColumn },
    ...table.names.map((name, at) => ({ id: String(at), title: name || String(at + 1) })),
  ];
  return (
    <>
      <section className="panel stack" aria-label={text.columns}>
        <h2>{text.columns}</h2>
        <p className="quiet">{text.columnsExplain}</p>
        <div className="import-columns">
          {FIELDS.map((field) => (
            <Choice
              key={field}
              label={text.fields[field]}
              options={options}
              value={String(columns[field] ?? NONE)}
              onChange={(at) => setColumns(chosen(columns, field, at === NONE ? undefined : Number(at)))}
            />
          ))}
        </div>
        <Entry
          label={text.networks}
          hint={text.networksHint}
          value={networks}
          onChange={setNetworks}
          autoComplete="off"
        />
      </section>
      {!hasAddresses(columns) && (
        <p role="alert" className="notice bad">
          {text.faults.columns}
        </p>
      )}
      {subnets.error && <p className="notice bad">{subnets.error.message}</p>}
      {plan && <PlanView plan={plan} />}
    </>
  );
}
