// All leases: filters, a table of any length, and actions for one lease or for many.
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call } from "../../api/calls.ts";
import type { Watch } from "../../parts/live/useChanges.ts";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { TableTools } from "../../parts/table/TableTools.tsx";
import { useRows } from "../../parts/table/useRows.ts";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl, type Words } from "../../parts/useUrl.ts";
import { identify } from "../../pure/identify.ts";
import { mentions } from "../../pure/mentions.ts";
import { columns, type Lease } from "./columns.tsx";
import { namesOf } from "./eventColumns.tsx";
import { Filters } from "./Filters.tsx";
import { LeaseDrawer } from "./LeaseDrawer.tsx";
import { Selection } from "./Selection.tsx";
import { text } from "./text.ts";

const TYPES = Object.keys(text.events) as (keyof typeof text.events)[];
const NONE: ReadonlySet<string> = new Set();

export default function Leases() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  const list = useMemo(() => listed(words, tenant), [words, tenant]);
  const rows = useRows<Lease>(list);
  const watch = useMemo(() => watched(words.q ?? ""), [words.q]);
  const [selected, setSelected] = useState(NONE);
  const chosen = rows.rows.filter((lease) => selected.has(lease.id));
  return (
    <div className="table">
      <div className="row">
        <h1>{text.title}</h1>
        <Link to={"/leases/live" as never}>{text.live}</Link>
      </div>
      <Filters words={words} change={change} />
      <TableTools name="leases" columns={columns} rows={rows} list={list} watch={watch}>
        <Selection leases={chosen} onDone={() => setSelected(NONE)} />
      </TableTools>
      <DataTable
        name="leases"
        label={text.title}
        columns={columns}
        rows={rows}
        idOf={(lease) => lease.id}
        onOpen={(lease) => change({ lease: lease.id })}
        selected={selected}
        onSelect={setSelected}
      />
      {words.lease && <LeaseDrawer id={words.lease} onClose={() => change({ lease: undefined })} />}
    </div>
  );
}

// Renewals only move the end of a lease, and are many.
function watched(typed: string): Watch {
  const type = TYPES.filter((each) => each !== "lease.renewed");
  return { type, concerns: (event) => mentions(namesOf(event), typed) };
}

// The list that the URL asks for.
function listed(words: Words, tenant: { tenant_id?: string }) {
  const typed = identify(words.q ?? "");
  const { state, family, subnet_id, expires_before } = words;
  const query = {
    state,
    family,
    subnet_id,
    expires_before,
    ...tenant,
    ...(typed ? { [typed.kind]: typed.value } : {}),
  };
  return call("get", "/api/v1/leases", { params: { query: query as never } });
}
