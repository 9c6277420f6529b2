// Checked first, with each refusal at its line and field; then created.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button, Checkbox } from "react-aria-components";
import { CallPreview } from "../../parts/call/CallPreview.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { localRows } from "../../parts/table/localRows.ts";
import type { Compared, Lost } from "../../pure/existing.ts";
import type { Plan, Planned } from "../../pure/plan.ts";
import { MOST, portionsOf } from "../../pure/portions.ts";
import type { Found, Remark } from "../../pure/refusals.ts";
import { text as shared } from "../../text/frame.ts";
import { text } from "./text.ts";
import { bulkOf, type Created, type Outcome, type State, useImport } from "./useImport.ts";

type Props = { plan: Plan; compared: Compared; isOver: boolean };

export function Importing({ plan, compared, isOver }: Props) {
  const { state, outcome, check, create } = useImport(compared);
  const [leavesOut, setLeavesOut] = useState(false);
  const found = state.phase === "checked" ? state.found : null;
  const wanted = compared.wanted.filter(({ ref }) => !found?.gone.has(ref));
  const leftOut = (found?.gone.size ?? 0) + compared.lost.length + plan.badRows.length;
  const isReady = found?.isWhole && (leftOut === 0 || leavesOut) && !isOver && wanted.length > 0;
  const isBusy = state.phase === "checking" || state.phase === "creating";
  return (
    <>
      <Requests wanted={wanted} />
      {outcome && <Result outcome={outcome} />}
      <InProgress state={state} />
      <Refusals plan={plan} compared={compared} found={found} />
      {found && <Effects found={found} />}
      <Remarks remarks={found?.remarks ?? []} />
      {found?.isWhole && leftOut > 0 && wanted.length > 0 && (
        <Checkbox className="check" isSelected={leavesOut} onChange={setLeavesOut}>
          {text.leaveOut(leftOut)}
        </Checkbox>
      )}
      {wanted.length > 0 && <FirstCall wanted={wanted} isChecked={Boolean(isReady)} />}
      <div className="row">
        <Button isDisabled={isBusy || compared.wanted.length === 0} onPress={() => void check()}>
          {text.check}
        </Button>
        <Button className="primary" isDisabled={isBusy || !isReady} onPress={() => void create(wanted)}>
          {text.create(wanted.length)}
        </Button>
      </div>
    </>
  );
}

function InProgress({ state }: { state: State }) {
  if (state.phase !== "checking" && state.phase !== "creating") return null;
  const { phase, done, of } = state;
  return (
    <p role="status">
      <progress value={done} max={of} aria-label={text.progress} />{" "}
      {phase === "checking" ? text.checking(done, of) : text.creating(done, of)}
    </p>
  );
}

function Requests({ wanted }: { wanted: readonly Planned[] }) {
  if (wanted.length === 0) return <p>{text.nothing}</p>;
  const count = portionsOf(wanted).length;
  return <p className="quiet">{count === 1 ? text.oneRequest : text.requests(count, MOST)}</p>;
}

// The first of the requests; the others are like it.
function FirstCall({ wanted, isChecked }: { wanted: readonly Planned[]; isChecked: boolean }) {
  const [first = []] = portionsOf(wanted);
  return (
    <CallPreview
      call={bulkOf(
        first.map(({ operation }) => operation),
        !isChecked,
      )}
    />
  );
}

type Row = { readonly line: string; readonly what: string; readonly field: string; readonly why: string };

function Refusals({ plan, compared, found }: { plan: Plan; compared: Compared; found: Found | null }) {
  const labels = new Map([...plan.there, ...plan.objects].map(({ ref, label }) => [ref, label]));
  const rows: Row[] = [
    ...plan.badRows.map(({ line, label, field, why }) => ({ line: String(line), what: label, field, why })),
    ...compared.lost.map((each) => ({ ...placeOf(each.planned), field: "", why: whyLost(each, labels) })),
    ...(found?.refused ?? []).map(({ planned, field, message }) => ({
      ...placeOf(planned),
      field,
      why: message,
    })),
  ];
  return (
    <>
      {found && (
        <p role="status" className={rows.length > 0 ? "notice bad" : "notice"}>
          {rows.length > 0 ? text.refused(rows.length) : text.passed(compared.wanted.length)}
          {!found.isWhole && ` ${text.notAll}`}
        </p>
      )}
      {rows.length > 0 && (
        <PlainTable
          label={text.errors}
          rows={rows}
          idOf={({ line, what, field, why }) => `${line} ${what} ${field} ${why}`}
          columns={[
            { title: text.columns.line, cell: ({ line }) => line },
            { title: text.columns.what, cell: ({ what }) => what },
            { title: text.columns.field, cell: ({ field }) => field },
            { title: text.columns.why, cell: ({ why }) => why },
          ]}
        />
      )}
    </>
  );
}

function whyLost({ missing }: Lost, labels: ReadonlyMap<string, string>): string {
  return missing === null ? text.notOnServer : text.lost(labels.get(missing) ?? missing);
}

// An object of another file than the source names that file.
function placeOf(planned: Planned | null): { line: string; what: string } {
  if (planned === null) return { line: "", what: text.whole };
  const { file, line, label } = planned;
  return { line: file ? `${file}:${line}` : line > 0 ? String(line) : "", what: label };
}

function Effects({ found: { leases } }: { found: Found }) {
  if (leases.count === 0) return null;
  return (
    <div className="notice">
      <p>{shared.deletion.leases(leases.count)}</p>
      <ul>
        {leases.named.map((lease) => (
          <li key={lease}>{lease}</li>
        ))}
      </ul>
      {leases.count > leases.named.length && <p>{text.more(leases.count - leases.named.length)}</p>}
    </div>
  );
}

function Remarks({ remarks }: { remarks: readonly Remark[] }) {
  if (remarks.length === 0) return null;
  return (
    <>
      <h3>{text.remarks(remarks.length)}</h3>
      <PlainTable
        label={text.remarks(remarks.length)}
        rows={remarks}
        idOf={({ planned, message }) => `${planned.ref} ${message}`}
        columns={[
          { title: text.columns.line, cell: ({ planned }) => placeOf(planned).line },
          { title: text.columns.what, cell: ({ planned }) => planned.label },
          { title: text.columns.why, cell: ({ message }) => message },
        ]}
      />
    </>
  );
}

const columns: readonly Column<Created>[] = [
  {
    id: "what",
    title: text.columns.what,
    cell: ({ planned }) => planned.label,
    width: "minmax(14rem, 2fr)",
  },
  { id: "line", title: text.columns.line, cell: ({ planned }) => placeOf(planned).line, width: "6rem" },
];

function Result({ outcome: { created, stopped } }: { outcome: Outcome }) {
  const { line, what } = placeOf(stopped?.planned ?? null);
  return (
    <>
      {stopped && (
        <p role="alert" className="notice bad">
          {text.stoppedAt(line, what, stopped.field, stopped.message)}{" "}
          {stopped.isUnknown ? text.unknown(created.length) : text.stopped(created.length)}
        </p>
      )}
      {!stopped && (
        <p role="status" className="notice">
          {text.created(created.length)}
        </p>
      )}
      {created.length > 0 && <CreatedTable created={created} />}
    </>
  );
}

function CreatedTable({ created }: { created: readonly Created[] }) {
  const subnets = created.filter(({ planned }) => planned.family === "subnets").slice(0, SHOWN);
  return (
    <section className="stack" aria-label={text.createdList}>
      <h3>{text.createdList}</h3>
      <div className="row">
        {subnets.map(({ id, planned }) => (
          <Link key={id} to={`/subnets/${id}` as never}>
            {String(planned.operation.body.cidr)}
          </Link>
        ))}
      </div>
      <DataTable
        name="import-created"
        label={text.createdList}
        columns={columns}
        rows={localRows(created)}
        idOf={({ id }) => id}
      />
    </section>
  );
}

const SHOWN = 50;
