import { call } from "../../api/calls.ts";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import type { Field } from "../../parts/fields/Fields.tsx";
import type { Body, Typed } from "../../pure/fields.ts";
import { text } from "./text.ts";

const fields: readonly Field[] = [
  { name: "cidr", label: text.columns.cidr, hint: text.cidrHint, required: true },
  { name: "description", label: text.columns.description },
  { name: "tenant_id", label: text.columns.tenant, hint: text.tenantHint },
];

export function TrustForm({ start = {}, onDone }: { start?: Typed; onDone: () => void }) {
  return (
    <CreateForm
      fields={fields}
      start={start}
      callOf={(body: Body) => call("post", "/api/v1/trusted-relays", { body: body as never })}
      action={text.trust}
      onDone={onDone}
      onCancel={onDone}
    />
  );
}
