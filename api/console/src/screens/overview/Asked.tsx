// What is done about something in the inbox, each with its call.
import { useState } from "react";
import { call } from "../../api/calls.ts";
import { Drawer } from "../../parts/Drawer.tsx";
import { ActionForm } from "../../parts/form/ActionForm.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { networkOf } from "../../pure/counted.ts";
import { text } from "./text.ts";

export type Wanted =
  | { kind: "trust"; address: string }
  | { kind: "retry"; id: string; name: string }
  | { kind: "redeliver"; id: string; event: string };

export function Asked({ wanted, onClose }: { wanted: Wanted; onClose: () => void }) {
  if (wanted.kind === "trust") return <Trust address={wanted.address} onClose={onClose} />;
  const params = { path: { id: wanted.id } };
  if (wanted.kind === "retry") {
    return (
      <Drawer title={text.retryOne(wanted.name)} onClose={onClose}>
        <ActionForm
          call={call("post", "/api/v1/ddns-updates/{id}/retry", { params })}
          action={text.retry}
          onDone={onClose}
          onCancel={onClose}
        >
          {() => <p>{text.retryExplain}</p>}
        </ActionForm>
      </Drawer>
    );
  }
  return (
    <Drawer title={text.redeliverOne(wanted.event)} onClose={onClose}>
      <ActionForm
        call={call("post", "/api/v1/deliveries/{id}/redeliver", { params })}
        action={text.redeliver}
        onDone={onClose}
        onCancel={onClose}
      >
        {() => <p>{text.redeliverExplain}</p>}
      </ActionForm>
    </Drawer>
  );
}

function Trust({ address, onClose }: { address: string; onClose: () => void }) {
  const [cidr, setCidr] = useState(networkOf(address));
  const [description, setDescription] = useState("");
  return (
    <Drawer title={text.trustOne(address)} onClose={onClose}>
      <ActionForm
        call={call("post", "/api/v1/trusted-relays", {
          body: { cidr, ...(description && { description }) },
        })}
        action={text.trust}
        onDone={onClose}
        onCancel={onClose}
      >
        {(errorAt) => (
          <>
            <p>{text.trustExplain}</p>
            <Entry
              label={text.network}
              hint={text.networkHint}
              value={cidr}
              onChange={setCidr}
              error={errorAt("cidr")}
            />
            <Entry label={text.description} value={description} onChange={setDescription} />
          </>
        )}
      </ActionForm>
    </Drawer>
  );
}
