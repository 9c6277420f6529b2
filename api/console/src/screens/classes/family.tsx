import { Link } from "@tanstack/react-router";
import { call, callsOf } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import type { Family } from "../../parts/collection/family.ts";
import type { Field } from "../../parts/fields/Fields.tsx";
import type { Body } from "../../pure/fields.ts";
import { text } from "./text.ts";
import { Values } from "./Values.tsx";

type ClientClass = components["schemas"]["ClientClass"];
const THREE = [
  { id: "", title: text.any },
  { id: "true", title: text.yes },
  { id: "false", title: text.no },
];

const fields: readonly Field[] = [
  { name: "name", label: text.name, required: true },
  { name: "description", label: text.description },
  { name: "priority", label: text.priority, hint: text.priorityHint, kind: "number" },
  { name: "vendor_class", label: text.vendor, nullable: true },
  { name: "user_class", label: text.user, nullable: true },
  { name: "mac_prefix", label: text.macPrefix, nullable: true },
  { name: "locally_administered", label: text.local, kind: "choice", options: THREE, nullable: true },
  { name: "known", label: text.known, kind: "choice", options: THREE, nullable: true },
  { name: "match", label: text.match, hint: text.matchHint, kind: "json", nullable: true },
  { name: "template", label: text.template, kind: "check" },
  { name: "deny", label: text.deny, kind: "check" },
  { name: "next_server", label: text.nextServer, nullable: true },
  { name: "server_name", label: text.serverName, nullable: true },
  { name: "boot_file", label: text.bootFile, nullable: true },
];

const CALLS = callsOf("/api/v1/client-classes/{id}");
const TRUTHS = { true: true, false: false } as const;

// A choice of three is yes, no or null, not text.
function truths(body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name === "known" || name === "locally_administered"
        ? (TRUTHS[value as keyof typeof TRUTHS] ?? value)
        : value,
    ]),
  );
}

export function classesOf(tenant_id: string | undefined): Family<ClientClass> {
  const query = tenant_id === undefined ? {} : { tenant_id };
  return {
    name: "classes",
    title: text.title,
    path: "/client-classes",
    columns: [
      { id: "name", title: text.name, cell: ({ name }) => name },
      { id: "priority", title: text.priority, cell: ({ priority }) => priority, width: "6rem" },
      { id: "vendor_class", title: text.vendor, cell: (row) => row.vendor_class },
      { id: "user_class", title: text.user, cell: (row) => row.user_class, optional: true },
      { id: "mac_prefix", title: text.macPrefix, cell: (row) => row.mac_prefix },
      {
        id: "locally_administered",
        title: text.local,
        cell: (row) => truth(row.locally_administered),
        optional: true,
      },
      { id: "known", title: text.known, cell: (row) => truth(row.known), optional: true },
      {
        id: "match",
        title: text.match,
        cell: ({ match }) => match && <code>{JSON.stringify(match)}</code>,
        width: "minmax(10rem, 2fr)",
      },
      { id: "template", title: text.template, cell: ({ template }) => template && text.yes, optional: true },
      { id: "deny", title: text.deny, cell: ({ deny }) => deny && text.yes, width: "9rem" },
      { id: "next_server", title: text.nextServer, cell: (row) => row.next_server, optional: true },
      { id: "boot_file", title: text.bootFile, cell: (row) => row.boot_file, optional: true },
      { id: "description", title: text.description, cell: ({ description }) => description, optional: true },
    ],
    titleOf: ({ name }) => name,
    list: call("get", "/api/v1/client-classes", { params: { query } }),
    create: (body) =>
      call("post", "/api/v1/client-classes", { body: { ...truths(body), ...query } as never }),
    ...CALLS,
    update: (id, body, header) => CALLS.update(id, truths(body), header),
    fields,
    many: ["priority", "description"],
    more: (row) => (
      <>
        <Link to={"/options" as never} search={{ scope: "class", of: row.id } as never}>
          {text.options}
        </Link>
        {row.template && <Values id={row.id} />}
      </>
    ),
  };
}

function truth(value: boolean | null): string | null {
  if (value === null) return null;
  return value ? text.yes : text.no;
}
