// The engine's decision in the order in which it is taken.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { components } from "../../api/schema";
import type { Explanation } from "../../api/types.ts";
import { text as shared } from "../../text/frame.ts";
import { PlainTable } from "../PlainTable.tsx";
import { text } from "./text.ts";

export function Steps({ found }: { found: Explanation }) {
  return (
    <section aria-label={text.steps} className="stack">
      <h3>{text.steps}</h3>
      <ol className="stack">
        <Step title={text.relay}>{relayOf(found)}</Step>
        <Step title={text.subnet}>
          <Subnet found={found} />
        </Step>
        <Step title={text.classes}>
          <Classes found={found} />
        </Step>
        <Step title={text.reservation}>{reservationOf(found)}</Step>
        <Step title={text.leases}>
          {(found.leases ?? []).map((lease) => text.lease(lease.ip, lease.state)).join("; ") || text.noLeases}
        </Step>
        <Step title={text.answer}>
          <strong>{(text.outcomes as Record<string, string>)[found.outcome]}</strong>
          <p>{found.reason}</p>
          {givenOf(found).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </Step>
        <Step title={text.options}>
          <Options found={found} />
        </Step>
      </ol>
      {"notes" in found && found.notes && found.notes.length > 0 && (
        <div className="notice">
          <h3>{text.notes}</h3>
          {found.notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
      )}
    </section>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <h4>{title}</h4>
      <div>{children}</div>
    </li>
  );
}

function relayOf(found: Explanation): string {
  if ("relay_trusted" in found) return found.relay_trusted ? text.trustedHere : text.untrustedHere;
  const relay = "relay" in found ? found.relay : null;
  if (!relay) return text.direct;
  return relay.trusted ? text.trusted(relay.address) : text.untrusted(relay.address);
}

function Subnet({ found }: { found: Explanation }) {
  const { subnet } = found;
  if (!subnet) return text.noSubnet;
  const by = "chosen_by" in subnet ? subnet.chosen_by : "";
  return (
    <>
      <Link to={`/subnets/${subnet.id}`}>{text.chosen(subnet.cidr, subnet.name, by)}</Link>{" "}
      {!subnet.dhcp_enabled && text.off}
    </>
  );
}

function Classes({ found }: { found: Explanation }) {
  return (
    <PlainTable
      label={text.classes}
      rows={found.classes ?? []}
      idOf={(each) => each.id}
      empty={text.noClasses}
      columns={[
        { title: text.class.name, cell: (each) => each.made ?? each.name },
        {
          title: text.class.matched,
          cell: ({ matched, deny }) => (matched ? (deny ? text.denied : shared.yes) : shared.no),
        },
        {
          title: text.class.condition,
          cell: ({ decided_by: { condition, asks } }) => `${condition}: ${JSON.stringify(asks)}`,
        },
        { title: text.class.seen, cell: (each) => each.decided_by.seen },
      ]}
    />
  );
}

function reservationOf({ reservation }: Explanation): string {
  if (!reservation) return text.noReservation;
  const prefix = "prefix" in reservation ? reservation.prefix : null;
  return [reservation.ip, prefix, reservation.hostname].filter(Boolean).join(", ");
}

type Binding = components["schemas"]["ExplainedBinding"];

function bindingOf({ address, valid_lifetime_seconds, excluded_prefix }: Binding): string {
  const given = text.given(address, valid_lifetime_seconds);
  return excluded_prefix ? text.excluding(given, excluded_prefix) : given;
}

// What it would be given, a line each.
function givenOf(found: Explanation): string[] {
  if ("associations" in found) {
    return (found.associations ?? []).flatMap((each) => [
      ...each.bindings.map(bindingOf),
      ...(each.status ? [each.status] : []),
    ]);
  }
  if (!("address" in found) || !found.address) return [];
  const { address, address_from, pool } = found;
  const lines = [text.address(address, address_from ?? "")];
  return pool ? [...lines, text.pool(pool.name, pool.start_ip, pool.end_ip)] : lines;
}

type Option = { code: number; text: string; hex: string; scope?: { type: string; name?: string | null } };

function Options({ found }: { found: Explanation }) {
  return (
    <PlainTable<Option>
      label={text.options}
      rows={(found.options ?? []) as Option[]}
      idOf={(option) => String(option.code)}
      empty={text.noOptions}
      columns={[
        { title: text.option.code, cell: (option) => option.code },
        { title: text.option.value, cell: (option) => option.text },
        {
          title: text.option.scope,
          cell: ({ scope }) => [scope?.type, scope?.name].filter(Boolean).join(" "),
        },
        { title: text.option.bytes, cell: (option) => <code>{option.hex}</code> },
      ]}
    />
  );
}
