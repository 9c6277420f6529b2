import { useState } from "react";
import { call, callsOf } from "../../api/calls.ts";
import type { Webhook } from "../../api/types.ts";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { changeOf, deletionOf, type Kept } from "../../parts/collection/acts.tsx";
import { Deliveries } from "../../parts/deliveries/Deliveries.tsx";
import { DeliveryDetails } from "../../parts/deliveries/DeliveryDetails.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import { Secret } from "../../parts/Secret.tsx";
import { text as shared } from "../../text/frame.ts";
import { editable } from "./fields.ts";
import { text } from "./text.ts";

type Props = {
  id: string;
  delivery: string | undefined; // the id of the one that is shown
  onDelivery: (id: string | undefined) => void;
  onClose: () => void;
};

const kept: Kept<Webhook> = {
  ...callsOf("/api/v1/webhooks/{id}"),
  titleOf: ({ url }) => url,
  fields: editable,
};

export function WebhookDrawer({ id, delivery, onDelivery, onClose }: Props) {
  return (
    <ObjectDrawer read={kept.read(id)} nameOf={kept.titleOf} onClose={onClose}>
      {(webhook, etag) =>
        delivery ? (
          <DeliveryDetails id={delivery} onBack={() => onDelivery(undefined)} />
        ) : (
          <>
            <WebhookFacts webhook={webhook} />
            <Acts acts={actsOf(webhook, etag, onClose)} />
            <Deliveries
              list={(query) =>
                call("get", "/api/v1/webhooks/{webhook_id}/deliveries", {
                  params: { path: { webhook_id: id }, query },
                })
              }
              onShow={onDelivery}
            />
          </>
        )
      }
    </ObjectDrawer>
  );
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { columns } = text;
  return (
    <Facts
      facts={[
        [columns.description, webhook.description],
        [columns.events, webhook.events.join(", ")],
        [columns.enabled, webhook.enabled ? shared.yes : shared.no],
        [columns.reason, webhook.disabled_reason],
        [columns.tenant, webhook.tenant_id],
        [columns.previous, webhook.previous_secret_until && <Moment at={webhook.previous_secret_until} />],
      ]}
    />
  );
}

function actsOf(webhook: Webhook, etag: string | null, onClose: () => void): Act[] {
  const path = { id: webhook.id };
  return [
    {
      id: "test",
      title: text.test,
      may: "operate",
      form: (close) => (
        <Confirm
          title={text.testTitle}
          explain={text.testExplain}
          call={call("post", "/api/v1/webhooks/{id}/test", { params: { path } })}
          action={text.test}
          onDone={close}
          onCancel={close}
        />
      ),
    },
    changeOf(kept, webhook, etag, text.edit),
    {
      id: "rotate",
      title: text.rotate,
      may: "write",
      form: (close) => <Rotation id={webhook.id} onDone={close} />,
    },
    deletionOf(kept, webhook, text.remove, onClose),
  ];
}

function Rotation({ id, onDone }: { id: string; onDone: () => void }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <Secret label={text.secret} secret={secret} onDone={onDone} />;
  return (
    <Confirm
      title={text.rotateTitle}
      explain={text.rotateExplain}
      call={call("post", "/api/v1/webhooks/{id}/rotate", { params: { path: { id } } })}
      action={text.rotate}
      danger
      onDone={(rotated) => setSecret(rotated.secret ?? "")}
      onCancel={onDone}
    />
  );
}
