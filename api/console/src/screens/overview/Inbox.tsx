// What wants a person: each kind with what can be done about it. Kinds without anything are not drawn.
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import type { components } from "../../api/schema";
import { Moment } from "../../parts/Moment.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { useMay, useTenant } from "../../parts/useSession.ts";
import { counted } from "../../pure/counted.ts";
import { text as shared } from "../../text/frame.ts";
import { Asked, type Wanted } from "./Asked.tsx";
import { type FullPool, PoolTable } from "./Panels.tsx";
import { inboxOf } from "./readings.ts";
import { text } from "./text.ts";

type Schemas = components["schemas"];
type Page<R> = { items: R[]; next_cursor: string | null };

// With the dashboard's one a minute, and the two that events bring at most, the page sends four requests a minute at most
// while nobody touches it. No event tells of a delivery that is given up.
const SELDOM = { refetchInterval: 120_000 } as const;

export function Inbox({ filling }: { filling: readonly FullPool[] }) {
  const [wanted, setWanted] = useState<Wanted>();
  const { data, error } = useAsk(inboxOf(useTenant()), SELDOM);
  const inbox = data?.data;
  const kinds = [
    has(inbox?.unknown_relays) && <Relays key="relays" page={inbox.unknown_relays} onWanted={setWanted} />,
    filling.length > 0 && (
      <Kind key="filling" title={text.filling(String(filling.length))}>
        <PoolTable label={text.filling(String(filling.length))} pools={filling} />
      </Kind>
    ),
    has(inbox?.ddns_conflicts) && (
      <Conflicts key="conflicts" page={inbox.ddns_conflicts} onWanted={setWanted} />
    ),
    has(inbox?.dead_deliveries) && <Dead key="dead" page={inbox.dead_deliveries} onWanted={setWanted} />,
    has(inbox?.declined_leases) && <Declined key="declined" page={inbox.declined_leases} />,
  ].filter(Boolean);
  return (
    <section className="panel stack" aria-label={text.inbox}>
      <h2>{text.inbox}</h2>
      {kinds}
      {error && <p className="notice bad">{error.message}</p>}
      {inbox === undefined && !error && <p role="status">{shared.loading}</p>}
      {inbox && kinds.length === 0 && <p>{text.inboxEmpty}</p>}
      {wanted && <Asked wanted={wanted} onClose={() => setWanted(undefined)} />}
    </section>
  );
}

function has<R>(page: Page<R> | undefined): page is Page<R> {
  return page !== undefined && page.items.length > 0;
}

function Kind({ title, explain, children }: { title: string; explain?: string; children: ReactNode }) {
  return (
    <div>
      <h3>{title}</h3>
      {explain && <p className="quiet">{explain}</p>}
      {children}
    </div>
  );
}

type Props<R> = { page: Page<R>; onWanted: (wanted: Wanted) => void };

function Relays({ page, onWanted }: Props<Schemas["UnknownRelay"]>) {
  const may = useMay("write");
  const title = text.relays(counted(page));
  const act = {
    title: text.relay.act,
    cell: ({ address }: Schemas["UnknownRelay"]) => (
      <Button
        className="small"
        aria-label={text.trustOne(address)}
        onPress={() => onWanted({ kind: "trust", address })}
      >
        {text.trust}
      </Button>
    ),
  };
  return (
    <Kind title={title} explain={text.relaysExplain}>
      <PlainTable
        label={title}
        rows={page.items}
        idOf={(relay) => relay.id}
        columns={[
          { title: text.relay.address, cell: (relay) => relay.address },
          { title: text.relay.count, cell: (relay) => relay.count.toLocaleString() },
          { title: text.relay.first, cell: (relay) => <Moment at={relay.first_seen_at} /> },
          { title: text.relay.last, cell: (relay) => <Moment at={relay.last_seen_at} /> },
          ...(may ? [act] : []),
        ]}
      />
    </Kind>
  );
}

function Conflicts({ page, onWanted }: Props<Schemas["DdnsUpdate"]>) {
  const may = useMay("operate");
  const title = text.conflicts(counted(page));
  const act = {
    title: text.conflict.act,
    cell: ({ id, fqdn }: Schemas["DdnsUpdate"]) => (
      <Button
        className="small"
        aria-label={text.retryOne(fqdn)}
        onPress={() => onWanted({ kind: "retry", id, name: fqdn })}
      >
        {text.retry}
      </Button>
    ),
  };
  return (
    <Kind title={title}>
      <PlainTable
        label={title}
        rows={page.items}
        idOf={(update) => update.id}
        columns={[
          { title: text.conflict.name, cell: (update) => update.fqdn },
          { title: text.conflict.address, cell: (update) => update.ip },
          { title: text.conflict.why, cell: (update) => update.last_error },
          { title: text.conflict.since, cell: (update) => <Moment at={update.updated_at} /> },
          ...(may ? [act] : []),
        ]}
      />
    </Kind>
  );
}

function Dead({ page, onWanted }: Props<Schemas["DeadDelivery"]>) {
  const may = useMay("operate");
  const title = text.dead(counted(page));
  const act = {
    title: text.deliveryOf.act,
    cell: ({ id, event }: Schemas["DeadDelivery"]) => (
      <Button
        className="small"
        aria-label={text.redeliverOne(event)}
        onPress={() => onWanted({ kind: "redeliver", id, event })}
      >
        {text.redeliver}
      </Button>
    ),
  };
  return (
    <Kind title={title}>
      <PlainTable
        label={title}
        rows={page.items}
        idOf={(delivery) => delivery.id}
        columns={[
          {
            title: text.deliveryOf.event,
            cell: ({ id, event, webhook_id, notification_id }) => (
              <Link
                to={webhook_id ? "/webhooks" : "/notifications"}
                search={
                  {
                    webhook: webhook_id ?? undefined,
                    notification: notification_id ?? undefined,
                    delivery: id,
                  } as never
                }
              >
                {event}
              </Link>
            ),
          },
          { title: text.deliveryOf.url, cell: ({ url }) => url },
          { title: text.deliveryOf.why, cell: (delivery) => delivery.last_error },
          { title: text.deliveryOf.tries, cell: (delivery) => delivery.attempts },
          { title: text.deliveryOf.since, cell: (delivery) => <Moment at={delivery.updated_at} /> },
          ...(may ? [act] : []),
        ]}
      />
    </Kind>
  );
}

function Declined({ page }: { page: Page<Schemas["Lease"]> }) {
  const title = text.declined(counted(page));
  return (
    <Kind title={title} explain={text.declinedExplain}>
      <PlainTable
        label={title}
        rows={page.items}
        idOf={(lease) => lease.id}
        columns={[
          {
            title: text.lease.address,
            cell: (lease) => (
              <Link to="/leases" search={{ state: "declined", lease: lease.id } as never}>
                {lease.ip}
              </Link>
            ),
          },
          { title: text.lease.mac, cell: (lease) => lease.mac },
          { title: text.lease.until, cell: (lease) => <Moment at={lease.quarantined_until} /> },
        ]}
      />
    </Kind>
  );
}
