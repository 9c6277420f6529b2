// The configuration of another server or a table: read in the browser, checked by the server, then
// created.
import { useMemo, useState } from "react";
import { type Chosen, FileEntry } from "../../parts/form/FileEntry.tsx";
import { useMay } from "../../parts/useSession.ts";
import { OpenQuote } from "../../pure/csv.ts";
import { type Plan, readPlan } from "../../pure/plan.ts";
import { type Table, tableOf } from "../../pure/tablePlan.ts";
import { text as shared } from "../../text/frame.ts";
import { FromTable } from "./FromTable.tsx";
import "./import.css";
import { PlanView } from "./PlanView.tsx";
import { text } from "./text.ts";

type Source =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "table"; readonly table: Table }
  | { readonly kind: "none"; readonly why: string | undefined };

export default function Import() {
  const may = useMay("write");
  const [chosen, setChosen] = useState<Chosen>();
  const source = useMemo(() => sourceOf(chosen), [chosen]);
  if (!may) return <p className="notice">{shared.notForRole}</p>;
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      <p>{text.explain}</p>
      <FileEntry
        label={text.file}
        hint={text.fileHint}
        accept=".json,.csv,.txt,.tsv"
        error={source.kind === "none" ? source.why : undefined}
        onChoose={setChosen}
      />
      {source.kind === "plan" && <PlanView plan={source.plan} />}
      {source.kind === "table" && <FromTable key={chosen?.name} table={source.table} />}
    </div>
  );
}

// A plan is JSON; all else that is text is a table.
function sourceOf(chosen: Chosen | undefined): Source {
  if (chosen === undefined) return { kind: "none", why: undefined };
  if (chosen.text === null) return { kind: "none", why: text.faults.text };
  if (!/^\s*[[{]/.test(chosen.text)) return tableSource(chosen.text);
  const read = readPlan(chosen.text);
  if ("plan" in read) return { kind: "plan", plan: read.plan };
  const { code, number } = read.fault;
  const why = text.faults[code];
  return { kind: "none", why: typeof why === "string" ? why : why(number) };
}

function tableSource(content: string): Source {
  try {
    const table = tableOf(content);
    if (table !== null && table.rows.length > 0) return { kind: "table", table };
    return { kind: "none", why: text.faults.empty };
  } catch (error) {
    if (!(error instanceof OpenQuote)) throw error;
    return { kind: "none", why: text.faults.quote(error.line) };
  }
}
