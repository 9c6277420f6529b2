import { call, callsOf } from "../../api/calls.ts";
import type { Notification } from "../../api/types.ts";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { changeOf, deletionOf, type Kept } from "../../parts/collection/acts.tsx";
import { Deliveries } from "../../parts/deliveries/Deliveries.tsx";
import { DeliveryDetails } from "../../parts/deliveries/DeliveryDetails.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import { text as shared } from "../../text/frame.ts";
import { editable } from "./fields.ts";
import { targetOf } from "./targetOf.ts";
import { text } from "./text.ts";

type Props = {
  id: string;
  delivery: string | undefined; // the id of the one that is shown
  onDelivery: (id: string | undefined) => void;
  onClose: () => void;
};

const kept: Kept<Notification> = {
  ...callsOf("/api/v1/notifications/{id}"),
  titleOf: ({ name }) => name,
  fields: editable,
};

export function NotificationDrawer({ id, delivery, onDelivery, onClose }: Props) {
  return (
    <ObjectDrawer read={kept.read(id)} nameOf={kept.titleOf} onClose={onClose}>
      {(notification, etag) =>
        delivery ? (
          <DeliveryDetails id={delivery} onBack={() => onDelivery(undefined)} />
        ) : (
          <>
            <NotificationFacts notification={notification} />
            <Acts acts={actsOf(notification, etag, onClose)} />
            <Deliveries
              list={(query) =>
                call("get", "/api/v1/notifications/{notification_id}/deliveries", {
                  params: { path: { notification_id: id }, query },
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

function NotificationFacts({ notification }: { notification: Notification }) {
  const { columns: names } = text;
  return (
    <Facts
      facts={[
        [names.description, notification.description],
        [names.kind, text.kinds[notification.kind]],
        [names.url, targetOf(notification)],
        [names.topic, notification.topic],
        [names.priority, notification.priority],
        [names.events, notification.events.join(", ")],
        [names.severity, text.severities[notification.severity]],
        [names.networks, notification.networks.join(", ")],
        [names.zones, notification.zones.join(", ")],
        [names.enabled, notification.enabled ? shared.yes : shared.no],
        [names.reason, notification.disabled_reason],
        [names.tenant, notification.tenant_id],
      ]}
    />
  );
}

function actsOf(notification: Notification, etag: string | null, onClose: () => void): Act[] {
  const path = { id: notification.id };
  return [
    {
      id: "test",
      title: text.test,
      may: "operate",
      form: (close) => (
        <Confirm
          title={text.testTitle}
          explain={text.testExplain}
          call={call("post", "/api/v1/notifications/{id}/test", { params: { path } })}
          action={text.test}
          onDone={close}
          onCancel={close}
        />
      ),
    },
    changeOf(kept, notification, etag, text.edit),
    deletionOf(kept, notification, text.remove, onClose),
  ];
}
