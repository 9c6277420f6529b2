import type { Happening } from "../../api/events.ts";
import type { components } from "../../api/schema";
import { Moment } from "../../parts/Moment.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { text as shared } from "../../text/frame.ts";
import { text } from "./text.ts";

type Facts = Omit<
  components["schemas"]["LeaseEvent"],
  "id" | "created_at" | "updated_at" | "at" | "event" | "ended_at" | "end"
>;

// What a lease event carries: the lease's fields as they were then.
export function factsOf(event: Happening): Facts {
  return event.data as unknown as Facts;
}

// By which somebody looks for a client or its address.
export function namesOf(event: Happening) {
  const { ip, mac, duid, client_id, hostname, relay } = factsOf(event);
  return [ip, mac, duid, client_id, hostname, relay];
}

function placeOf({ ip, ia_type, prefix_length }: Facts): string {
  return ia_type === "pd" ? `${ip}/${prefix_length}` : ip;
}

export const eventColumns: readonly Column<Happening>[] = [
  {
    id: "timestamp",
    title: text.when,
    cell: (event) => <Moment at={event.timestamp} inRow />,
    width: "11rem",
  },
  {
    id: "type",
    title: text.happened,
    cell: ({ type }) => text.events[type as keyof typeof text.events] ?? type,
    width: "8rem",
  },
  { id: "ip", title: text.columns.ip, cell: (event) => placeOf(factsOf(event)), width: "minmax(9rem, 1fr)" },
  { id: "mac", title: text.columns.mac, cell: (event) => factsOf(event).mac, width: "10.5rem" },
  {
    id: "hostname",
    title: text.columns.hostname,
    cell: (event) => factsOf(event).hostname,
    width: "minmax(10rem, 2fr)",
  },
  {
    id: "expires_at",
    title: text.columns.expires,
    cell: (event) => <Moment at={factsOf(event).expires_at} none={shared.never} inRow />,
    width: "11rem",
  },
  {
    id: "relay",
    title: text.columns.relay,
    cell: (event) => factsOf(event).relay,
    width: "minmax(8rem, 1fr)",
  },
];
