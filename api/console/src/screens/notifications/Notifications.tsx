// Notifications: short messages about events, to a chat or by mail.
import { call } from "../../api/calls.ts";
import type { Notification } from "../../api/types.ts";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { creatable } from "./fields.ts";
import { NotificationDrawer } from "./NotificationDrawer.tsx";
import { targetOf } from "./targetOf.ts";
import { text } from "./text.ts";

export default function Notifications() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Listing
        name="notifications"
        label={text.title}
        columns={columns}
        list={call("get", "/api/v1/notifications", { params: { query: { ...tenant } } })}
        empty={text.empty}
        onOpen={(notification) => change({ notification: notification.id })}
      >
        <CreateButton title={text.add}>
          {(close) => (
            <CreateForm
              fields={creatable}
              start={{ enabled: "true", kind: "mail", severity: "info" }}
              callOf={(body) => call("post", "/api/v1/notifications", { body: body as never })}
              action={text.make}
              onDone={close}
              onCancel={close}
            />
          )}
        </CreateButton>
      </Listing>
      {words.notification && (
        <NotificationDrawer
          id={words.notification}
          delivery={words.delivery}
          onDelivery={(delivery) => change({ delivery })}
          onClose={() => change({ notification: undefined, delivery: undefined })}
        />
      )}
    </div>
  );
}

const { columns: names } = text;
const columns: readonly Column<Notification>[] = [
  { id: "name", title: names.name, cell: ({ name }) => name },
  { id: "kind", title: names.kind, cell: ({ kind }) => text.kinds[kind], width: "10rem" },
  { id: "target", title: names.url, cell: targetOf, width: "minmax(14rem, 2fr)" },
  { id: "events", title: names.events, cell: ({ events }) => events.join(", ") },
  { id: "severity", title: names.severity, cell: ({ severity }) => text.severities[severity], width: "9rem" },
  {
    id: "enabled",
    title: names.enabled,
    cell: ({ enabled }) => (enabled ? shared.yes : shared.no),
    width: "6rem",
  },
  { id: "disabled_reason", title: names.reason, cell: (notification) => notification.disabled_reason },
  { id: "tenant_id", title: names.tenant, cell: (notification) => notification.tenant_id, optional: true },
];
