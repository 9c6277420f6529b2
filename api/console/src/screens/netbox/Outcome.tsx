// What was made, or would be, what was left out and why, and what failed: each prefix a row.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { NetBoxResult } from "../../api/types.ts";
import { Choice } from "../../parts/form/Choice.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { localRows } from "../../parts/table/localRows.ts";
import { text } from "./text.ts";

type Kind = keyof typeof text.outcomes;
type Row = {
  readonly key: string;
  readonly kind: Kind;
  readonly cidr: string;
  readonly reason: string;
  readonly detail: string;
  readonly id: string | null;
  readonly netboxId: number | null;
};

export function Outcome({ answers }: { answers: readonly NetBoxResult[] }) {
  const [kind, setKind] = useState("");
  const navigate = useNavigate();
  const rows = answers.flatMap((answer, at) => rowsOf(answer, at));
  const last = answers.at(-1);
  const count = (wanted: readonly Kind[]) => rows.filter((row) => wanted.includes(row.kind)).length;
  const looked = answers.reduce((sum, answer) => sum + answer.looked_at, 0);
  const says = last?.dry_run ? text.would : text.did;
  return (
    <section className="table" aria-label={text.result}>
      <h2>{text.result}</h2>
      <p role="status" className="notice">
        {says(looked, count(["made", "would"]), count(["skipped"]), count(["failed"]))}
        {last?.next_cursor ? ` ${text.more}` : ""}
      </p>
      <div className="filters">
        <Choice
          label={text.show}
          value={kind}
          options={[{ id: "", title: text.all }, ...kindsIn(rows)]}
          onChange={setKind}
        />
      </div>
      <DataTable
        name="netbox"
        label={text.result}
        columns={columns}
        rows={localRows(kind === "" ? rows : rows.filter((row) => row.kind === kind))}
        idOf={(row) => row.key}
        onOpen={({ id }) => {
          if (id !== null) void navigate({ to: "/prefixes", search: { prefix: id } } as never);
        }}
      />
    </section>
  );
}

function kindsIn(rows: readonly Row[]) {
  const there = new Set(rows.map((row) => row.kind));
  return Object.entries(text.outcomes)
    .filter(([id]) => there.has(id as Kind))
    .map(([id, title]) => ({ id, title }));
}

// Failures first: they are what somebody must see to.
function rowsOf(answer: NetBoxResult, at: number): Row[] {
  const failed = answer.errors.map(({ cidr, field, detail }) => ({
    kind: "failed" as const,
    ...{ cidr: cidr ?? text.ended, reason: field, detail, id: null, netboxId: null },
  }));
  const made = answer.created.map(({ cidr, description, id, netbox_id }) => ({
    kind: answer.dry_run ? ("would" as const) : ("made" as const),
    ...{ cidr, reason: "", detail: description, id, netboxId: netbox_id },
  }));
  const skipped = answer.skipped.map(({ cidr, reason, detail, id, netbox_id }) => ({
    kind: "skipped" as const,
    ...{ cidr, reason, detail, id, netboxId: netbox_id },
  }));
  return [...failed, ...made, ...skipped].map((row, number) => ({ key: `${at}-${number}`, ...row }));
}

const columns: readonly Column<Row>[] = [
  { id: "cidr", title: text.columns.cidr, cell: (row) => row.cidr, width: "minmax(10rem, 1fr)" },
  { id: "kind", title: text.columns.outcome, cell: (row) => text.outcomes[row.kind], width: "8rem" },
  { id: "reason", title: text.columns.reason, cell: (row) => row.reason, width: "9rem" },
  { id: "detail", title: text.columns.detail, cell: (row) => row.detail, width: "minmax(14rem, 3fr)" },
  { id: "id", title: text.columns.id, cell: (row) => row.id, width: "minmax(9rem, 1fr)" },
  { id: "netbox_id", title: text.columns.netbox, cell: (row) => row.netboxId, width: "6rem" },
];
