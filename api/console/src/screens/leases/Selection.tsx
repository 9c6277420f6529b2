// What can be done with the leases that are selected: released one after the other, reserved all or none.
import { useState } from "react";
import { Button } from "react-aria-components";
import { call } from "../../api/calls.ts";
import { BulkForm } from "../../parts/bulk/BulkForm.tsx";
import { EachForm } from "../../parts/bulk/EachForm.tsx";
import { Drawer } from "../../parts/Drawer.tsx";
import { useMay } from "../../parts/useSession.ts";
import { text as shared } from "../../text/frame.ts";
import { type Lease, placeOf } from "./columns.tsx";
import { text } from "./text.ts";

const MOST = 1000;

export function Selection({ leases, onDone }: { leases: readonly Lease[]; onDone: () => void }) {
  const [act, setAct] = useState<"release" | "reserve">();
  const mayOperate = useMay("operate");
  const mayWrite = useMay("write");
  if (leases.length === 0) return null;
  const active = leases.filter((lease) => lease.state === "active");
  const held = leases.filter((lease) => lease.state === "active" || lease.state === "declined");
  const reservable = active.filter((lease) => lease.subnet_id !== null).slice(0, MOST);
  const close = () => setAct(undefined);
  const done = () => {
    close();
    onDone();
  };
  return (
    <>
      <span>{shared.table.selected(leases.length)}</span>
      {mayOperate && (
        <Button className="small" isDisabled={held.length === 0} onPress={() => setAct("release")}>
          {text.release}
        </Button>
      )}
      {mayWrite && (
        <Button className="small" isDisabled={reservable.length === 0} onPress={() => setAct("reserve")}>
          {text.reserve}
        </Button>
      )}
      {act === "release" && (
        <Drawer title={text.releaseMany(held.length)} onClose={close}>
          <p>{text.onlyHeld}</p>
          <EachForm
            calls={held.map((lease) => ({
              name: placeOf(lease),
              call: call("post", "/api/v1/leases/{id}/release", { params: { path: { id: lease.id } } }),
            }))}
            action={text.release}
            onDone={done}
          />
        </Drawer>
      )}
      {act === "reserve" && (
        <Drawer title={text.reserveMany(reservable.length)} onClose={close}>
          <p>{`${text.onlyActive} ${text.mostAtOnce}`}</p>
          <BulkForm operations={reservable.map(reservationOf)} action={text.reserve} onDone={done} />
        </Drawer>
      )}
    </>
  );
}

function reservationOf(lease: Lease) {
  const identity = lease.duid
    ? { duid: lease.duid }
    : lease.mac
      ? { mac: lease.mac }
      : { client_id: lease.client_id };
  const address =
    lease.ia_type === "pd" ? { ip: null, prefix: `${lease.ip}/${lease.prefix_length}` } : { ip: lease.ip };
  const name = lease.hostname ? { hostname: lease.hostname } : {};
  const path = `/subnets/${lease.subnet_id}/reservations`;
  return { op: "create" as const, path, body: { ...address, ...identity, ...name } };
}
