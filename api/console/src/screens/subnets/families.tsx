// What stands in a subnet, family by family.
import { call, callsOf } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import type { Family } from "../../parts/collection/family.ts";
import type { Column } from "../../parts/table/columns.ts";
import { PoolUse } from "./PoolUse.tsx";
import { text } from "./text.ts";

type Schemas = components["schemas"];
type Pool = Schemas["Pool"];
type Exclude = Schemas["Exclude"];
type Reservation = Schemas["Reservation"];
type Assignment = Schemas["Assignment"];
type WithTags = { tags: string[] };
type WithAliases = { aliases: string[] };

const words = text.columns;
const DESCRIPTION = { name: "description", label: words.description } as const;
const TAGS = { name: "tags", label: words.tags, hint: text.hints.tags, kind: "list" } as const;
const ALIAS_RECORDS = [
  { id: "cname", title: text.aliasRecords.cname },
  { id: "address", title: text.aliasRecords.address },
];
const ALIASES = [
  { name: "aliases", label: words.aliases, hint: text.hints.aliases, kind: "list" },
  { name: "alias_records", label: words.aliasRecords, kind: "choice", options: ALIAS_RECORDS },
] as const;
const CLASS = { name: "class_id", label: words.class, hint: text.hints.classId, nullable: true } as const;
const tags: Column<WithTags> = {
  id: "tags",
  title: words.tags,
  cell: (row) => row.tags.join(", "),
  optional: true,
};

const aliases: Column<WithAliases> = {
  id: "aliases",
  title: words.aliases,
  cell: (row) => row.aliases.join(", "),
  optional: true,
};

// A column that shows a field as it is.
function plain<R>(id: keyof R & string, title: string, optional = false, width?: string): Column<R> {
  const cell = (row: R) => row[id] as string | number | null;
  return { id, title, cell, optional, ...(width ? { width } : {}) };
}

export function poolsOf(subnetId: string): Family<Pool> {
  const path = { subnet_id: subnetId };
  return {
    name: "pools",
    title: text.tabs.pools,
    path: "/pools",
    columns: [
      plain<Pool>("start_ip", words.start),
      plain<Pool>("end_ip", words.end),
      plain<Pool>("name", words.name),
      plain<Pool>("prefix", words.delegated, true),
      plain<Pool>("delegated_length", words.length, true),
      plain<Pool>("excluded_prefix", words.excluded, true),
      plain<Pool>("class_id", words.class, true),
      { id: "allocation", title: words.allocation, cell: allocation },
      tags,
    ],
    titleOf: (pool) => pool.name || (pool.prefix ?? `${pool.start_ip} – ${pool.end_ip}`),
    list: call("get", "/api/v1/subnets/{subnet_id}/pools", { params: { path } }),
    create: (body) =>
      call("post", "/api/v1/subnets/{subnet_id}/pools", { params: { path }, body: body as never }),
    ...callsOf("/api/v1/pools/{id}"),
    fields: [
      { name: "start_ip", label: words.start, nullable: true },
      { name: "end_ip", label: words.end, nullable: true },
      { name: "name", label: words.name },
      CLASS,
      { name: "allocation", label: words.allocation, kind: "choice", options: ALLOCATIONS },
      { name: "prefix", label: words.delegated, hint: text.hints.delegated, nullable: true },
      { name: "delegated_length", label: words.length, kind: "number", nullable: true },
      { name: "excluded_prefix", label: words.excluded, nullable: true },
      TAGS,
    ],
    many: ["class_id", "tags"],
    more: (pool) => <PoolUse pool={pool} />,
  };
}

const ALLOCATIONS = [
  { id: "", title: "" },
  { id: "hashed", title: text.allocations.hashed },
  { id: "sequential", title: text.allocations.sequential },
];

function allocation(pool: Pool): string {
  return pool.allocation === "sequential" ? text.allocations.sequential : text.allocations.hashed;
}

export function excludesOf(subnetId: string): Family<Exclude> {
  const path = { subnet_id: subnetId };
  return {
    name: "excludes",
    title: text.tabs.excludes,
    path: "/excludes",
    columns: [
      plain<Exclude>("start_ip", words.start),
      plain<Exclude>("end_ip", words.end),
      plain<Exclude>("description", words.description),
    ],
    titleOf: ({ start_ip, end_ip }) => (start_ip === end_ip ? start_ip : `${start_ip} – ${end_ip}`),
    list: call("get", "/api/v1/subnets/{subnet_id}/excludes", { params: { path } }),
    create: (body) =>
      call("post", "/api/v1/subnets/{subnet_id}/excludes", { params: { path }, body: body as never }),
    ...callsOf("/api/v1/excludes/{id}"),
    fields: [
      { name: "start_ip", label: words.start, required: true },
      { name: "end_ip", label: words.end, required: true },
      DESCRIPTION,
    ],
    many: ["description"],
  };
}

export function reservationsOf(subnetId: string): Family<Reservation> {
  const path = { subnet_id: subnetId };
  return {
    name: "reservations",
    title: text.tabs.reservations,
    path: "/reservations",
    columns: [
      plain<Reservation>("ip", words.ip),
      plain<Reservation>("mac", words.mac, false, "10.5rem"),
      plain<Reservation>("hostname", words.hostname),
      plain<Reservation>("description", words.description),
      aliases,
      plain<Reservation>("duid", words.duid, true),
      plain<Reservation>("client_id", words.clientId, true),
      plain<Reservation>("prefix", words.prefix, true),
      plain<Reservation>("excluded_prefix", words.excluded, true),
      plain<Reservation>("circuit_id", words.circuit, true),
      plain<Reservation>("remote_id", words.remote, true),
      plain<Reservation>("subscriber_id", words.subscriber, true),
      plain<Reservation>("class_id", words.class, true),
      tags,
    ],
    titleOf: (row) => row.ip ?? row.prefix ?? row.hostname ?? text.tabs.reservations,
    list: call("get", "/api/v1/subnets/{subnet_id}/reservations", { params: { path } }),
    create: (body) =>
      call("post", "/api/v1/subnets/{subnet_id}/reservations", { params: { path }, body: body as never }),
    ...callsOf("/api/v1/reservations/{id}"),
    fields: [
      { name: "ip", label: words.ip, hint: text.hints.ip, nullable: true },
      ...Object.entries(LABELS).map(([name, label]) => ({ name, label, nullable: true })),
      ...ALIASES,
      CLASS,
      DESCRIPTION,
      TAGS,
    ],
    many: ["class_id", "description", "tags"],
  };
}

const LABELS: Record<string, string> = {
  mac: words.mac,
  hostname: words.hostname,
  duid: words.duid,
  client_id: words.clientId,
  circuit_id: words.circuit,
  remote_id: words.remote,
  subscriber_id: words.subscriber,
  prefix: words.prefix,
  excluded_prefix: words.excluded,
};

export function assignmentsOf(subnetId: string): Family<Assignment> {
  return {
    name: "assignments",
    title: text.tabs.assignments,
    path: "/assignments",
    columns: [
      plain<Assignment>("ip", words.ip),
      plain<Assignment>("hostname", words.hostname),
      aliases,
      plain<Assignment>("description", words.description),
      tags,
    ],
    titleOf: ({ ip, hostname }) => `${ip} ${hostname}`,
    list: call("get", "/api/v1/assignments", { params: { query: { subnet_id: subnetId } } }),
    create: (body) =>
      call("post", "/api/v1/assignments", { body: { ...body, subnet_id: subnetId } as never }),
    ...callsOf("/api/v1/assignments/{id}"),
    fields: [
      { name: "ip", label: words.ip, hint: text.hints.ip },
      { name: "hostname", label: words.hostname, required: true },
      ...ALIASES,
      DESCRIPTION,
      TAGS,
    ],
    many: ["description", "tags"],
  };
}
