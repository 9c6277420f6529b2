import { call } from "../../api/calls.ts";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { Deletion } from "../../parts/deletion/Deletion.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { EditForm } from "../../parts/fields/EditForm.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import type { Relay } from "./Relays.tsx";
import { text } from "./text.ts";

const editable = [
  { name: "cidr", label: text.columns.cidr, hint: text.cidrHint },
  { name: "description", label: text.columns.description },
];

export function RelayDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const read = call("get", "/api/v1/trusted-relays/{id}", { params: { path: { id } } });
  return (
    <ObjectDrawer read={read} nameOf={(relay) => relay.cidr} onClose={onClose}>
      {(relay, etag) => (
        <>
          <Facts
            facts={[
              [text.columns.description, relay.description],
              [text.columns.tenant, relay.tenant_id],
              [text.columns.created, <Moment key="c" at={relay.created_at} />],
            ]}
          />
          <Acts acts={[editOf(relay, etag), removeOf(relay, onClose)]} />
        </>
      )}
    </ObjectDrawer>
  );
}

function editOf(relay: Relay, etag: string | null): Act {
  const path = { id: relay.id };
  return {
    id: "edit",
    title: text.edit,
    may: "write",
    form: (close) => (
      <EditForm
        fields={editable}
        object={relay}
        etag={etag}
        callOf={(body, header) =>
          call("patch", "/api/v1/trusted-relays/{id}", { params: { path, header }, body })
        }
        read={call("get", "/api/v1/trusted-relays/{id}", { params: { path } })}
        action={text.edit}
        onDone={close}
        onCancel={close}
      />
    ),
  };
}

function removeOf(relay: Relay, onClose: () => void): Act {
  return {
    id: "remove",
    title: text.remove,
    may: "write",
    form: (close) => (
      <Deletion
        what={relay.cidr}
        call={call("delete", "/api/v1/trusted-relays/{id}", { params: { path: { id: relay.id } } })}
        onDone={onClose}
        onCancel={close}
      />
    ),
  };
}
