import type { Field } from "../../parts/fields/Fields.tsx";
import { text } from "./text.ts";

const { columns: names } = text;
const choices = (titles: Record<string, string>) =>
  Object.entries(titles).map(([id, title]) => ({ id, title }));

export const editable: readonly Field[] = [
  { name: "name", label: names.name, required: true },
  { name: "kind", kind: "choice", label: names.kind, options: choices(text.kinds) },
  { name: "url", nullable: true, label: names.url, hint: text.urlHint },
  { name: "topic", nullable: true, label: names.topic, hint: text.topicHint },
  { name: "priority", kind: "number", nullable: true, label: names.priority, hint: text.priorityHint },
  { name: "recipients", kind: "list", label: names.recipients, hint: text.recipientsHint },
  { name: "events", kind: "list", label: names.events, hint: text.eventsHint },
  { name: "severity", kind: "choice", label: names.severity, options: choices(text.severities) },
  { name: "networks", kind: "list", label: names.networks, hint: text.networksHint },
  { name: "zones", kind: "list", label: names.zones, hint: text.zonesHint },
  { name: "description", label: names.description },
  { name: "enabled", kind: "check", label: text.enabled },
];

export const creatable: readonly Field[] = [
  ...editable,
  { name: "tenant_id", label: names.tenant, hint: text.tenantHint },
];
