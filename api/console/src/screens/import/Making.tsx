// Tried first, with each refusal at its line; then made.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button, Checkbox } from "react-aria-components";
import { CallPreview } from "../../parts/call/CallPreview.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { localRows } from "../../parts/table/localRows.ts";
import { labelOf } from "../../pure/plan.ts";
import type { Step, Steps } from "../../pure/planSteps.ts";
import { MOST, portionsOf } from "../../pure/portions.ts";
import type { Rehearsed } from "../../pure/rehearsal.ts";
import { text } from "./text.ts";
import { bulkOf, type Outcome, useMaking } from "./useMaking.ts";

export function Making({ steps, isOver }: { steps: Steps; isOver: boolean }) {
  const { state, outcome, tryIt, make } = useMaking(steps);
  const [leavesOut, setLeavesOut] = useState(false);
  const found = state.phase === "tried" ? state.found : null;
  const wanted = steps.missing.filter(({ ref }) => !found?.gone.has(ref));
  const isWhole = found?.isWhole && found.gone.size === 0 && steps.lost.length === 0;
  const isReady = found?.isWhole && (isWhole || leavesOut) && !isOver && wanted.length > 0;
  const isBusy = state.phase === "trying" || state.phase === "making";
  return (
    <>
      <Requests steps={wanted} />
      {outcome && <Came outcome={outcome} />}
      {state.phase === "trying" && (
        <p role="status">
          <progress value={state.done} max={state.of} /> {text.trying(state.done, state.of)}
        </p>
      )}
      {state.phase === "making" && (
        <p role="status">
          <progress value={state.done} max={state.of} /> {text.making(state.done, state.of)}
        </p>
      )}
      <Refusals steps={steps} found={found} />
      {found?.isWhole && !isWhole && (
        <Checkbox className="check" isSelected={leavesOut} onChange={setLeavesOut}>
          {text.leaveOut(found.gone.size + steps.lost.length)}
        </Checkbox>
      )}
      {wanted.length > 0 && <FirstCall steps={wanted} isTried={Boolean(isReady)} />}
      <div className="row">
        <Button isDisabled={isBusy || steps.missing.length === 0} onPress={() => void tryIt()}>
          {text.tryFirst}
        </Button>
        <Button className="primary" isDisabled={isBusy || !isReady} onPress={() => void make(wanted)}>
          {text.make(wanted.length)}
        </Button>
      </div>
    </>
  );
}

function Requests({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return <p>{text.nothingToMake}</p>;
  const count = portionsOf(steps).length;
  return <p className="quiet">{count === 1 ? text.oneRequest : text.requests(count, MOST)}</p>;
}

// Of many requests the first is shown; the others are like it.
function FirstCall({ steps, isTried }: { steps: readonly Step[]; isTried: boolean }) {
  const [first = []] = portionsOf(steps);
  return (
    <CallPreview
      call={bulkOf(
        first.map(({ operation }) => operation),
        !isTried,
      )}
    />
  );
}

type Row = { readonly line: string; readonly what: string; readonly why: string };

function Refusals({ steps, found }: { steps: Steps; found: Rehearsed | null }) {
  const rows: Row[] = [
    ...steps.lost.map(({ planned, named }) => ({
      line: String(planned.line),
      what: labelOf(planned),
      why: named === null ? text.lostInside : text.lost(named),
    })),
    ...(found?.refused ?? []).map(({ step, message }) => ({ ...placeOf(step), why: message })),
  ];
  return (
    <>
      {found && (
        <p role="status" className={rows.length > 0 ? "notice bad" : "notice"}>
          {rows.length > 0 ? text.refused(rows.length) : text.wouldPass(steps.missing.length)}
          {!found.isWhole && ` ${text.notAll}`}
        </p>
      )}
      {rows.length > 0 && (
        <PlainTable
          label={text.errors}
          rows={rows}
          idOf={({ line, what, why }) => `${line} ${what} ${why}`}
          columns={[
            { title: text.warning.line, cell: ({ line }) => line },
            { title: text.warning.what, cell: ({ what }) => what },
            { title: text.warning.why, cell: ({ why }) => why },
          ]}
        />
      )}
    </>
  );
}

// What comes from another file than the source says so.
function placeOf(step: Step | null): { line: string; what: string } {
  if (step === null) return { line: "", what: text.whole };
  return { line: step.file ? `${step.file}:${step.line}` : String(step.line), what: step.what };
}

type MadeRow = { readonly id: string; readonly step: Step };
const columns: readonly Column<MadeRow>[] = [
  {
    id: "what",
    title: text.madeColumns.what,
    cell: ({ step }) => step.what,
    width: "minmax(14rem, 2fr)",
  },
  { id: "line", title: text.madeColumns.line, cell: ({ step }) => step.line, width: "6rem" },
];

function Came({ outcome: { made, stopped } }: { outcome: Outcome }) {
  const place = placeOf(stopped?.step ?? null);
  return (
    <>
      {stopped && (
        <p role="alert" className="notice bad">
          {[place.line, place.what, stopped.message].filter(Boolean).join(" ")} {text.stopped(made.length)}
        </p>
      )}
      {!stopped && (
        <p role="status" className="notice">
          {text.made(made.length)}
        </p>
      )}
      {made.length > 0 && <MadeTable made={made} />}
    </>
  );
}

function MadeTable({ made }: { made: readonly MadeRow[] }) {
  const subnets = made.filter(({ step }) => step.family === "subnets").slice(0, SHOWN);
  return (
    <section className="stack" aria-label={text.madeList}>
      <h3>{text.madeList}</h3>
      <div className="row">
        {subnets.map(({ id, step }) => (
          <Link key={id} to={`/subnets/${id}` as never}>
            {String(step.operation.body.cidr)}
          </Link>
        ))}
      </div>
      <DataTable
        name="import-made"
        label={text.madeList}
        columns={columns}
        rows={localRows(made)}
        idOf={({ id }) => id}
      />
    </section>
  );
}

const SHOWN = 50;
