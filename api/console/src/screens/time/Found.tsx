import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { LeaseEnd } from "../../parts/LeaseEnd.tsx";
import { Moment } from "../../parts/Moment.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import type { Identified } from "../../pure/identify.ts";
import { text } from "./text.ts";

type LeaseEvent = components["schemas"]["LeaseEvent"];

export function Found({ where, at }: { where: Identified; at: string }) {
  const query = { at, [where.kind]: where.value };
  return (
    <div className="table">
      <h2>{text.found}</h2>
      <Listing
        name="time"
        label={text.found}
        columns={columns}
        list={call("get", "/api/v1/lease-events", { params: { query } })}
        empty={text.none}
      />
    </div>
  );
}

const columns: readonly Column<LeaseEvent>[] = [
  { id: "ip", title: text.columns.ip, cell: (event) => event.ip, width: "minmax(9rem, 1fr)" },
  { id: "event", title: text.columns.state, cell: eventOf, width: "7rem" },
  { id: "mac", title: text.columns.mac, cell: (event) => event.mac, width: "10.5rem" },
  { id: "hostname", title: text.columns.hostname, cell: (event) => event.hostname },
  { id: "at", title: text.columns.since, cell: (event) => <Moment at={event.at} inRow />, width: "11rem" },
  {
    id: "ended_at",
    title: text.columns.ends,
    cell: (event) => <LeaseEnd of={event} how={event.end} inRow />,
    width: "15rem",
  },
];

function eventOf({ event }: LeaseEvent): string {
  return (text.events as Record<string, string>)[event] ?? event;
}
