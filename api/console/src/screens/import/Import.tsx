// A plan of ipam import, or a table with the columns ip, mac and hostname: read in the browser, checked by the server, then
// created.
import { useMemo, useState } from "react";
import { Entry } from "../../parts/form/Entry.tsx";
import { type Chosen, FileEntry } from "../../parts/form/FileEntry.tsx";
import { useMay } from "../../parts/useSession.ts";
import { useSettled } from "../../parts/useSettled.ts";
import { OpenQuote } from "../../pure/csv.ts";
import { hasColumns, type Table, tableOf } from "../../pure/plainTable.ts";
import { type Fault, type Plan, readPlan } from "../../pure/plan.ts";
import { text as shared } from "../../text/frame.ts";
import { FromTable } from "./FromTable.tsx";
import { PlanView } from "./PlanView.tsx";
import { text } from "./text.ts";

type Source =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "table"; readonly table: Table }
  | { readonly kind: "none"; readonly why?: string };

export default function Import() {
  const may = useMay("write");
  const [chosen, setChosen] = useState<Chosen>();
  const [pasted, setPasted] = useState("");
  const settled = useSettled(pasted, 300);
  const file = useMemo(() => fileSource(chosen), [chosen]);
  const paste = useMemo(() => (settled.trim() === "" ? NOTHING : sourceOf(settled)), [settled]);
  if (!may) return <p className="notice">{shared.notForRole}</p>;
  const source = paste === NOTHING ? file : paste;
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      <p>{text.explain}</p>
      <p>
        {text.others} <code>{text.command}</code>
      </p>
      <FileEntry
        label={text.file}
        hint={text.fileHint}
        accept=".json,.csv,.tsv,.txt"
        error={pasted === "" ? whyOf(file) : undefined}
        onChoose={(file) => {
          setChosen(file);
          setPasted("");
        }}
      />
      <Entry
        label={text.paste}
        hint={text.pasteHint}
        value={pasted}
        onChange={setPasted}
        error={whyOf(paste)}
        rows={4}
      />
      {source.kind === "plan" && <PlanView plan={source.plan} />}
      {source.kind === "table" && <FromTable table={source.table} />}
    </div>
  );
}

const NOTHING: Source = { kind: "none" };

function whyOf(source: Source): string | undefined {
  return source.kind === "none" ? source.why : undefined;
}

function fileSource(chosen: Chosen | undefined): Source {
  if (chosen === undefined) return NOTHING;
  return chosen.text === null ? { kind: "none", why: text.faults.text } : sourceOf(chosen.text);
}

// A plan is JSON; any other text is a table.
function sourceOf(content: string): Source {
  if (!/^\s*[[{]/.test(content)) return tableSource(content);
  const read = readPlan(content);
  return "plan" in read ? { kind: "plan", plan: read.plan } : { kind: "none", why: told(read.fault) };
}

function told(fault: Fault): string {
  switch (fault.code) {
    case "newer":
    case "object":
    case "warning":
      return text.faults[fault.code](fault.number);
    default:
      return text.faults[fault.code];
  }
}

function tableSource(content: string): Source {
  try {
    const table = tableOf(content);
    if (table === null) return { kind: "none", why: text.faults.empty };
    if (!hasColumns(table)) return { kind: "none", why: text.faults.columns(table.names.join(", ")) };
    return { kind: "table", table };
  } catch (error) {
    if (!(error instanceof OpenQuote)) throw error;
    return { kind: "none", why: text.faults.quote(error.line) };
  }
}
