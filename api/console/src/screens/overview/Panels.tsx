// The figures of the dashboard, a panel each.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { components } from "../../api/schema";
import { Facts } from "../../parts/Facts.tsx";
import { Meter } from "../../parts/Meter.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { text } from "./text.ts";

type Schemas = components["schemas"];
export type Board = Schemas["Dashboard"];
export type FullPool = Schemas["FullPool"];

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Cap({ board }: { board: Board }) {
  const { managed_ips, managed_ips_limit, counts } = board;
  const says = text.ofCap(managed_ips, managed_ips_limit);
  return (
    <Panel title={text.cap}>
      <Meter label={text.cap} part={managed_ips} of={managed_ips_limit} says={says} />
      <Facts
        facts={[
          ...Object.entries(text.counts).map(
            ([name, title]) => [title, counts[name as keyof typeof counts].toLocaleString()] as const,
          ),
          [text.asOf, board.as_of && <Moment at={board.as_of} />],
        ]}
      />
    </Panel>
  );
}

export function Rates({ traffic }: { traffic: Board["traffic"] }) {
  return (
    <Panel title={text.rates}>
      <PlainTable
        label={text.rates}
        rows={traffic}
        idOf={(row) => row.family}
        empty={text.noRates}
        columns={[
          { title: text.rate.family, cell: (row) => nameOf(row.family) },
          { title: text.rate.servers, cell: (row) => row.servers },
          { title: text.rate.packets, cell: (row) => row.packets_per_second },
          { title: text.rate.acks, cell: (row) => row.acks_per_second },
          { title: text.rate.commit, cell: (row) => text.milliseconds(row.commit_p50_ms, row.commit_p99_ms) },
        ]}
      />
    </Panel>
  );
}

function nameOf(family: string): string {
  return (text.families as Record<string, string>)[family] ?? family;
}

export function Pools({ pools }: { pools: readonly FullPool[] }) {
  return (
    <Panel title={text.pools}>
      <PoolTable label={text.pools} pools={pools} />
    </Panel>
  );
}

export function PoolTable({ label, pools }: { label: string; pools: readonly FullPool[] }) {
  return (
    <PlainTable
      label={label}
      rows={pools}
      idOf={(pool) => pool.pool_id}
      empty={text.noPools}
      columns={[
        {
          title: text.pool.name,
          cell: (pool) => <Link to={`/subnets/${pool.subnet_id}`}>{pool.name || text.unnamed}</Link>,
        },
        { title: text.pool.range, cell: (pool) => pool.prefix ?? `${pool.start_ip} – ${pool.end_ip}` },
        {
          title: text.pool.use,
          cell: ({ name, utilisation }) => (
            <Meter label={name || text.unnamed} part={utilisation} of={1} says={text.percent(utilisation)} />
          ),
        },
      ]}
    />
  );
}

export function Nodes({ nodes }: { nodes: Board["nodes"] }) {
  return (
    <Panel title={text.nodes}>
      <PlainTable
        label={text.nodes}
        rows={nodes}
        idOf={(node) => node.id}
        empty={text.noNodes}
        columns={[
          {
            title: text.node.name,
            cell: (node) => (
              <Link to="/nodes" search={{ node: node.id } as never}>
                {node.name}
              </Link>
            ),
          },
          { title: text.node.role, cell: (node) => node.role },
          { title: text.node.state, cell: (node) => node.state },
          { title: text.node.heartbeat, cell: (node) => <Moment at={node.heartbeat_at} /> },
        ]}
      />
    </Panel>
  );
}

export function WaitingWork({ outbox }: { outbox: Board["outbox"] }) {
  return (
    <Panel title={text.waiting}>
      <Facts
        facts={[
          [text.ddnsWaiting, <Waits key="d" work={outbox.ddns_updates} />],
          [text.deliveriesWaiting, <Waits key="w" work={outbox.webhook_deliveries} />],
        ]}
      />
    </Panel>
  );
}

function Waits({ work }: { work: Schemas["Waiting"] }) {
  if (work.oldest_at === null) return work.waiting.toLocaleString();
  return (
    <>
      {text.waits(work.waiting)} <Moment at={work.oldest_at} />
    </>
  );
}

export function Problems({ problems }: { problems: Board["problems"] }) {
  return (
    <Panel title={text.problems}>
      <PlainTable
        label={text.problems}
        rows={problems}
        idOf={(event) => event.id}
        empty={text.noProblems}
        columns={[
          { title: text.problem.at, cell: (event) => <Moment at={event.timestamp} /> },
          { title: text.problem.type, cell: (event) => event.type },
          { title: text.problem.what, cell: (event) => <code>{JSON.stringify(event.data)}</code> },
        ]}
      />
    </Panel>
  );
}
