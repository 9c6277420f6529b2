import type { Field } from "../../parts/fields/Fields.tsx";
import { text } from "./text.ts";

export const editable: readonly Field[] = [
  { name: "url", label: text.columns.url, required: true },
  { name: "description", label: text.columns.description },
  { name: "events", kind: "list", label: text.columns.events, hint: text.eventsHint },
  { name: "enabled", kind: "check", label: text.enabled },
];

export const creatable: readonly Field[] = [
  ...editable,
  { name: "tenant_id", label: text.columns.tenant, hint: text.tenantHint },
];
