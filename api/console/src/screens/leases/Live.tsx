// Lease events as they happen.
import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { Happening } from "../../api/events.ts";
import { Choice } from "../../parts/form/Choice.tsx";
import { UrlEntry } from "../../parts/form/UrlEntry.tsx";
import { LiveState } from "../../parts/live/LiveState.tsx";
import { MOST, useFeed } from "../../parts/live/useFeed.ts";
import { useTouched } from "../../parts/live/useTouched.ts";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { localRows } from "../../parts/table/localRows.ts";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { mentions } from "../../pure/mentions.ts";
import { eventColumns, factsOf, namesOf } from "./eventColumns.tsx";
import { text } from "./text.ts";

type Type = keyof typeof text.events;
const TYPES = Object.keys(text.events) as Type[];

export default function Live() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  const type = TYPES.find((each) => each === words.type);
  return (
    <div className="table">
      <div className="row">
        <h1>{text.liveTitle}</h1>
        <Link to={"/leases" as never}>{text.backToAll}</Link>
      </div>
      <search className="filters">
        <UrlEntry label={text.filter} />
        <Choice
          label={text.happened}
          value={type ?? ""}
          options={[{ id: "", title: text.anything }, ...TYPES.map((id) => ({ id, title: text.events[id] }))]}
          onChange={(chosen) => change({ type: chosen })}
        />
      </search>
      <Stream key={`${type} ${tenant.tenant_id}`} type={type} tenant={tenant} typed={words.q ?? ""} />
    </div>
  );
}

type Props = { type: Type | undefined; tenant: { tenant_id?: string }; typed: string };

function Stream({ type, tenant, typed }: Props) {
  const table = useRef<HTMLDivElement>(null);
  const isTouched = useTouched(table);
  const [isPaused, setPaused] = useState(false);
  const accepts = useCallback((event: Happening) => mentions(namesOf(event), typed), [typed]);
  const wanted = { type: [type ?? "lease.*"] as const, past: 100, ...tenant };
  const live = useFeed(wanted, isPaused || isTouched, accepts);
  const navigate = useNavigate();
  return (
    <>
      <div className="table-tools">
        <LiveState followed={live.followed} />
        <span>{text.shown(live.shown.length)}</span>
        <Button className="small" onPress={() => setPaused(!isPaused)}>
          {isPaused ? text.goOn : text.pause}
        </Button>
        <span role="status">{live.waiting.length > 0 && text.waits(live.waiting.length, MOST)}</span>
        {isTouched && !isPaused && <span className="quiet">{text.whyHeld}</span>}
      </div>
      <div ref={table} className="held">
        <DataTable
          name="lease-events"
          label={text.liveTitle}
          columns={eventColumns}
          rows={localRows(live.shown)}
          idOf={(event) => event.id}
          onOpen={(event) => void navigate({ to: "/leases", search: { q: factsOf(event).ip } } as never)}
          empty={text.nothingYet}
        />
      </div>
    </>
  );
}
