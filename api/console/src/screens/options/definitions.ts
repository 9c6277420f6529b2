import { call, callsOf } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import type { Family } from "../../parts/collection/family.ts";
import { text } from "./text.ts";

type Definition = components["schemas"]["OptionDefinition"];
const words = text.definition;
const CALLS = callsOf("/api/v1/option-definitions/{id}");
const KINDS = [
  "address",
  "ascii",
  "binary",
  "empty",
  "flag",
  "int8",
  "int16",
  "int32",
  "name",
  "resolvers",
  "routes",
  "sip-servers",
  "string",
  "strings",
  "suboptions",
  "uint8",
  "uint16",
  "uint32",
  "vendor-suboptions",
];

export function definitionsOf(tenant_id: string | undefined): Family<Definition> {
  const query = tenant_id === undefined ? {} : { tenant_id };
  return {
    name: "definitions",
    title: words.title,
    path: "/option-definitions",
    columns: [
      { id: "code", title: words.code, cell: ({ code }) => code, width: "5rem" },
      { id: "name", title: words.name, cell: ({ name }) => name },
      { id: "kind", title: words.kind, cell: ({ kind }) => kind },
      { id: "array", title: words.array, cell: ({ array }) => array && words.yes },
      { id: "family", title: words.family, cell: ({ family }) => `DHCPv${family}`, width: "6rem" },
      { id: "vendor_space", title: words.space, cell: ({ vendor_space }) => vendor_space },
    ],
    titleOf: ({ code, name }) => `${code} ${name}`,
    list: call("get", "/api/v1/option-definitions", { params: { query } }),
    create: (body) =>
      call("post", "/api/v1/option-definitions", {
        body: { ...body, family: Number(body.family ?? 4), ...query } as never,
      }),
    ...CALLS,
    update: (id, body, header) =>
      CALLS.update(id, { ...body, ...(body.family ? { family: Number(body.family) } : {}) }, header),
    fields: [
      {
        name: "family",
        label: words.family,
        kind: "choice",
        options: [
          { id: "4", title: text.families.v4 },
          { id: "6", title: text.families.v6 },
        ],
      },
      { name: "code", label: words.code, kind: "number", required: true },
      { name: "name", label: words.name, required: true },
      {
        name: "kind",
        label: words.kind,
        kind: "choice",
        options: [{ id: "", title: "" }, ...KINDS.map((id) => ({ id, title: id }))],
      },
      { name: "array", label: words.array, kind: "check" },
      { name: "vendor_space", label: words.space, hint: words.spaceHint, nullable: true },
    ],
  };
}
