// What the API takes, as fields of a form.
import type { Field } from "../../parts/fields/Fields.tsx";
import { type Body, bodyOf, type Typed } from "../../pure/fields.ts";
import { text } from "./text.ts";

export type Way = "import" | "export";
type Option = { readonly id: string; readonly title: string };
const { fields } = text;

function choices(titles: Readonly<Record<string, string>>): readonly Option[] {
  return Object.entries(titles).map(([id, title]) => ({ id, title }));
}

const CONNECTION: readonly Field[] = [
  { name: "url", label: fields.url, hint: fields.urlHint, required: true },
  { name: "token", kind: "secret", label: fields.token, hint: fields.tokenHint, required: true },
  { name: "verify_tls", kind: "check", label: fields.verify },
  { name: "ca_certificate", kind: "area", label: fields.ca, hint: fields.caHint },
];

function common(tenants: readonly Option[]): readonly Field[] {
  return [
    { name: "map_by", kind: "choice", label: fields.mapBy, options: choices(text.mapBys) },
    { name: "mapping", kind: "json", label: fields.mapping, hint: fields.mappingHint },
    {
      name: "tenant_id",
      kind: "choice",
      label: fields.tenantHere,
      options: [{ id: "", title: text.defaultTenant }, ...tenants],
    },
    {
      name: "family",
      kind: "choice",
      label: fields.family,
      options: [
        { id: "", title: text.families.both },
        { id: "4", title: text.families.v4 },
        { id: "6", title: text.families.v6 },
      ],
    },
    { name: "within", label: fields.within },
    { name: "limit", kind: "number", label: fields.limit },
  ];
}

const OF_IMPORT: readonly Field[] = [
  { name: "level", kind: "choice", label: fields.level, options: choices(text.levels) },
  { name: "statuses", kind: "list", label: fields.statuses, hint: fields.statusesHint },
  { name: "tenant", label: fields.tenant, hint: fields.noneHint },
  { name: "vrf", label: fields.vrf, hint: fields.noneHint },
  { name: "site", label: fields.site, hint: fields.slugHint },
  { name: "role", label: fields.role, hint: fields.slugHint },
  { name: "tag", label: fields.tag, hint: fields.slugHint },
];

const OF_EXPORT: readonly Field[] = [
  { name: "tenant", label: fields.intoTenant, hint: fields.intoHint },
  { name: "vrf", label: fields.intoVrf, hint: fields.intoHint },
  { name: "status", label: fields.status },
];

export function fieldsOf(way: Way, tenants: readonly Option[]): readonly Field[] {
  return [...CONNECTION, ...common(tenants), ...(way === "import" ? OF_IMPORT : OF_EXPORT)];
}

export function startOf(way: Way, tenant: string | undefined): Typed {
  const own: Typed = way === "import" ? { level: "outermost" } : { status: "active" };
  return { verify_tls: "true", map_by: "none", limit: "5000", tenant_id: tenant ?? "", ...own };
}

// The choice of a family is of texts; the API takes a number.
export function askedOf(fields: readonly Field[], typed: Typed): Body {
  const body = bodyOf(fields, typed);
  return body.family === undefined ? body : { ...body, family: Number(body.family) };
}
