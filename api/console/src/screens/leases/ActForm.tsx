// What is done with one lease, each with its call.
import { useState } from "react";
import { call } from "../../api/calls.ts";
import { ActionForm } from "../../parts/form/ActionForm.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { type Lease, placeOf } from "./columns.tsx";
import { text } from "./text.ts";

export type Act = "release" | "reserve" | "reconfigure";
type Props = { lease: Lease; onDone: () => void };

export function ActForm({ act, ...rest }: Props & { act: Act }) {
  if (act === "release") return <Release {...rest} />;
  return act === "reserve" ? <Reserve {...rest} /> : <Reconfigure {...rest} />;
}

function Release({ lease, onDone }: Props) {
  const params = { path: { id: lease.id } };
  return (
    <ActionForm
      call={call("post", "/api/v1/leases/{id}/release", { params })}
      action={text.release}
      onDone={onDone}
      onCancel={onDone}
      danger
    >
      {() => (
        <>
          <h3>{text.releaseTitle(placeOf(lease))}</h3>
          <p>{text.releaseExplain}</p>
        </>
      )}
    </ActionForm>
  );
}

function Reserve({ lease, onDone }: Props) {
  const [hostname, setHostname] = useState("");
  const [description, setDescription] = useState("");
  const body = { ...(hostname && { hostname }), ...(description && { description }) };
  return (
    <ActionForm
      call={call("post", "/api/v1/leases/{id}/reserve", { params: { path: { id: lease.id } }, body })}
      action={text.reserve}
      onDone={onDone}
      onCancel={onDone}
    >
      {(errorAt) => (
        <>
          <h3>{text.reserveTitle(placeOf(lease))}</h3>
          <p>{text.reserveExplain}</p>
          <Entry
            label={text.hostname}
            hint={text.hostnameHint}
            value={hostname}
            onChange={setHostname}
            error={errorAt("hostname")}
            autoFocus
          />
          <Entry
            label={text.description}
            value={description}
            onChange={setDescription}
            error={errorAt("description")}
          />
        </>
      )}
    </ActionForm>
  );
}

function Reconfigure({ lease, onDone }: Props) {
  const params = { path: { id: lease.id } };
  return (
    <ActionForm
      call={call("post", "/api/v1/leases/{id}/reconfigure", { params, body: {} })}
      action={text.reconfigure}
      onDone={onDone}
      onCancel={onDone}
    >
      {() => (
        <>
          <h3>{text.reconfigureTitle(placeOf(lease))}</h3>
          <p>{text.reconfigureExplain}</p>
        </>
      )}
    </ActionForm>
  );
}
