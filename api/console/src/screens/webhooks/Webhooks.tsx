// Webhooks, and the result of each delivery.
import { useState } from "react";
import { call } from "../../api/calls.ts";
import type { Webhook } from "../../api/types.ts";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import { Secret } from "../../parts/Secret.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { creatable } from "./fields.ts";
import { text } from "./text.ts";
import { WebhookDrawer } from "./WebhookDrawer.tsx";

export default function Webhooks() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Listing
        name="webhooks"
        label={text.title}
        columns={columns}
        list={call("get", "/api/v1/webhooks", { params: { query: { ...tenant } } })}
        empty={text.empty}
        onOpen={(webhook) => change({ webhook: webhook.id })}
      >
        <CreateButton title={text.add}>{(close) => <NewWebhook onDone={close} />}</CreateButton>
      </Listing>
      {words.webhook && (
        <WebhookDrawer
          id={words.webhook}
          delivery={words.delivery}
          onDelivery={(delivery) => change({ delivery })}
          onClose={() => change({ webhook: undefined, delivery: undefined })}
        />
      )}
    </div>
  );
}

const columns: readonly Column<Webhook>[] = [
  { id: "url", title: text.columns.url, cell: (webhook) => webhook.url, width: "minmax(14rem, 2fr)" },
  { id: "events", title: text.columns.events, cell: (webhook) => webhook.events.join(", ") },
  {
    id: "enabled",
    title: text.columns.enabled,
    cell: (webhook) => (webhook.enabled ? shared.yes : shared.no),
    width: "6rem",
  },
  { id: "disabled_reason", title: text.columns.reason, cell: (webhook) => webhook.disabled_reason },
  { id: "description", title: text.columns.description, cell: (webhook) => webhook.description },
  { id: "tenant_id", title: text.columns.tenant, cell: (webhook) => webhook.tenant_id, optional: true },
];

function NewWebhook({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <Secret label={text.secret} secret={secret} onDone={onDone} />;
  return (
    <CreateForm
      fields={creatable}
      start={{ enabled: "true", events: "*" }}
      callOf={(body) => call("post", "/api/v1/webhooks", { body: body as never })}
      action={text.make}
      onDone={(made) => (made.secret === undefined ? onDone() : setSecret(made.secret))}
      onCancel={onDone}
    />
  );
}
