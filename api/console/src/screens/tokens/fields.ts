import type { Field } from "../../parts/fields/Fields.tsx";
import { text } from "./text.ts";

export const editable: readonly Field[] = [
  { name: "name", label: text.columns.name, hint: text.nameHint, required: true },
  {
    name: "role",
    kind: "choice",
    label: text.columns.role,
    options: Object.entries(text.roles).map(([id, title]) => ({ id, title })),
  },
  { name: "expires_at", nullable: true, label: text.columns.expires, hint: text.expiresHint },
  { name: "allowed_cidrs", kind: "list", label: text.columns.allowed, hint: text.allowedHint },
];

export const creatable: readonly Field[] = [
  ...editable,
  { name: "tenant_id", label: text.columns.tenant, hint: text.tenantHint },
];
