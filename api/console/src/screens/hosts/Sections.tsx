import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { LeaseEnd } from "../../parts/LeaseEnd.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { text } from "./text.ts";

type Schemas = components["schemas"];
export type Lease = Schemas["Lease"];
export type Query = Readonly<Record<string, string | number>>;
const { columns } = text;
const MOST_ADDRESSES = 50; // whose names are looked for

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Leases({
  leases,
  onExplain,
}: {
  leases: readonly Lease[];
  onExplain: (lease: Lease) => void;
}) {
  return (
    <Section title={text.leases}>
      <PlainTable
        label={text.leases}
        rows={leases}
        idOf={(lease) => lease.id}
        empty={text.noLeases}
        columns={[
          {
            title: columns.ip,
            cell: (lease) => (
              <Link to="/leases" search={{ lease: lease.id } as never}>
                {lease.ia_type === "pd" ? `${lease.ip}/${lease.prefix_length}` : lease.ip}
              </Link>
            ),
          },
          { title: columns.state, cell: (lease) => lease.state },
          { title: columns.client, cell: (lease) => lease.mac ?? lease.duid },
          { title: columns.hostname, cell: (lease) => lease.hostname },
          { title: columns.ends, cell: (lease) => <LeaseEnd of={lease} /> },
          {
            title: columns.act,
            cell: (lease) => (
              <Button
                className="small"
                aria-label={text.explainOne(lease.ip)}
                onPress={() => onExplain(lease)}
              >
                {text.explainAct}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}

export function Reservations({ query }: { query: Query }) {
  const { data } = useAsk(call("get", "/api/v1/reservations", { params: { query } }));
  return (
    <Section title={text.reservations}>
      <PlainTable
        label={text.reservations}
        rows={data?.data.items ?? []}
        idOf={(reservation) => reservation.id}
        empty={text.noReservations}
        columns={[
          { title: columns.ip, cell: (reservation) => reservation.ip ?? reservation.prefix },
          {
            title: columns.client,
            cell: ({ mac, duid, client_id, circuit_id }) => mac ?? duid ?? client_id ?? circuit_id,
          },
          { title: columns.hostname, cell: (reservation) => reservation.hostname },
        ]}
      />
    </Section>
  );
}

// The records whose value is one of its addresses.
export function Names({ addresses }: { addresses: readonly string[] }) {
  const ip = [...new Set(addresses)].slice(0, MOST_ADDRESSES);
  const list = call("get", "/api/v1/dns-records", { params: { query: { ip, limit: 50 } } });
  const { data } = useAsk(ip.length > 0 ? list : null);
  return (
    <Section title={text.names}>
      <PlainTable
        label={text.names}
        rows={data?.data.items ?? []}
        idOf={(record) => record.id}
        empty={text.noNames}
        columns={[
          { title: columns.name, cell: (record) => record.fqdn },
          { title: columns.type, cell: (record) => record.type },
          { title: columns.data, cell: (record) => record.data },
          { title: columns.source, cell: (record) => record.source },
        ]}
      />
    </Section>
  );
}

export function Updates({ name }: { name: string }) {
  const query = { fqdn: name, limit: 20 };
  const { data } = useAsk(call("get", "/api/v1/ddns-updates", { params: { query } }), { retry: false });
  return (
    <Section title={text.ddns}>
      <PlainTable
        label={text.ddns}
        rows={data?.data.items ?? []}
        idOf={(update) => update.id}
        empty={text.noDdns}
        columns={[
          { title: columns.name, cell: (update) => update.fqdn },
          { title: columns.action, cell: (update) => update.action },
          { title: columns.state, cell: (update) => update.state },
          { title: columns.error, cell: (update) => update.last_error },
          { title: columns.at, cell: (update) => <Moment at={update.updated_at} /> },
        ]}
      />
    </Section>
  );
}

export function History({ query }: { query: Query }) {
  const { data } = useAsk(call("get", "/api/v1/lease-events", { params: { query } }));
  return (
    <Section title={text.history}>
      <PlainTable
        label={text.history}
        rows={data?.data.items ?? []}
        idOf={(event) => event.id}
        empty={text.noHistory}
        columns={[
          { title: columns.at, cell: (event) => <Moment at={event.at} /> },
          { title: columns.event, cell: (event) => event.event },
          { title: columns.ip, cell: (event) => event.ip },
          { title: columns.hostname, cell: (event) => event.hostname },
          {
            title: columns.ended,
            cell: (event) => event.ended_at && <LeaseEnd of={event} how={event.end} />,
          },
        ]}
      />
    </Section>
  );
}
