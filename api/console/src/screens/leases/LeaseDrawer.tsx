import { useState } from "react";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Drawer } from "../../parts/Drawer.tsx";
import { Explain } from "../../parts/explain/Explain.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { useMay } from "../../parts/useSession.ts";
import { startOf } from "../../pure/question.ts";
import { text as shared } from "../../text/frame.ts";
import { type Act, ActForm } from "./ActForm.tsx";
import { type Lease, placeOf, stateOf } from "./columns.tsx";
import { text } from "./text.ts";

export function LeaseDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useAsk(call("get", "/api/v1/leases/{id}", { params: { path: { id } } }));
  const [act, setAct] = useState<Act>();
  const [explained, setExplained] = useState(false);
  const lease = data?.data;
  return (
    <Drawer title={lease ? placeOf(lease) : text.title} onClose={onClose}>
      {error && <p className="notice bad">{error.message}</p>}
      {lease && (
        <div className="stack">
          <LeaseFacts lease={lease} />
          {act === undefined ? (
            <Actions lease={lease} onAct={setAct} />
          ) : (
            <ActForm act={act} lease={lease} onDone={() => setAct(undefined)} />
          )}
          {explained ? (
            <Explanation lease={lease} />
          ) : (
            <div className="row">
              <Button onPress={() => setExplained(true)}>{text.explain}</Button>
            </div>
          )}
        </div>
      )}
    </Drawer>
  );
}

function Explanation({ lease }: { lease: Lease }) {
  const { family, typed } = startOf(lease);
  return <Explain family={family} start={typed} />;
}

function LeaseFacts({ lease }: { lease: Lease }) {
  return (
    <Facts
      facts={[
        [text.columns.state, stateOf(lease)],
        [text.columns.mac, lease.mac],
        [text.columns.duid, lease.duid],
        [text.columns.clientId, lease.client_id],
        [text.columns.hostname, lease.hostname],
        [text.columns.granted, <Moment key="g" at={lease.granted_at} />],
        [text.columns.renewed, <Moment key="r" at={lease.renewed_at} />],
        lease.ended_at === null
          ? [text.columns.expires, <Moment key="e" at={lease.expires_at} none={shared.never} />]
          : [text.columns.ended, <Moment key="e" at={lease.ended_at} />],
        [
          text.columns.quarantined,
          lease.quarantined_until && <Moment key="q" at={lease.quarantined_until} />,
        ],
        [text.columns.relay, lease.relay],
        [text.columns.circuit, lease.circuit_id],
        [text.columns.remote, lease.remote_id],
        [text.columns.vendor, lease.vendor_class],
      ]}
    />
  );
}

function Actions({ lease, onAct }: { lease: Lease; onAct: (act: Act) => void }) {
  const mayOperate = useMay("operate");
  const mayWrite = useMay("write");
  if (lease.state !== "active" && lease.state !== "declined") return null;
  if (lease.state === "declined") {
    return mayOperate ? <Button onPress={() => onAct("release")}>{text.release}</Button> : null;
  }
  return (
    <div className="row">
      {mayOperate && <Button onPress={() => onAct("release")}>{text.release}</Button>}
      {mayWrite && <Button onPress={() => onAct("reserve")}>{text.reserve}</Button>}
      {mayWrite && lease.accepts_reconfigure && (
        <Button onPress={() => onAct("reconfigure")}>{text.reconfigure}</Button>
      )}
    </div>
  );
}
