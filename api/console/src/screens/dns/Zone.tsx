// One zone: its records, import and export of its file, and a comparison with its DNS server.
import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call, callsOf, urlOf } from "../../api/calls.ts";
import { transport } from "../../api/transport.ts";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { changeOf, deletionOf, type Kept } from "../../parts/collection/acts.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { save } from "../../parts/save.ts";
import { usePathId } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { Records } from "./Records.tsx";
import { Secondaries } from "./Secondaries.tsx";
import { text } from "./text.ts";
import { CheckZone } from "./ZoneCheck.tsx";
import { type DnsZone, zoneFields } from "./Zones.tsx";
import { Reconcile, TakeFile } from "./ZoneWork.tsx";

const kept: Kept<DnsZone> = {
  ...callsOf("/api/v1/dns-zones/{id}"),
  titleOf: ({ name }) => name,
  fields: zoneFields,
};

export default function Zone() {
  const id = usePathId();
  const navigate = useNavigate();
  const { data, error } = useAsk(kept.read(id), { retry: false });
  const zone = data?.data;
  if (error) return <p className="notice bad">{error.message}</p>;
  if (!zone) return <p role="status">{shared.loading}</p>;
  return (
    <div className="table">
      <h1>{zone.name}</h1>
      <Facts
        facts={[
          [text.zones.description, zone.description],
          [text.zones.enabled, zone.dns_enabled ? shared.yes : shared.no],
          [text.zones.serial, zone.serial],
          [text.zones.ttl, zone.default_ttl],
        ]}
      />
      <div className="row">
        <Acts acts={actsOf(zone, data.etag, () => void navigate({ to: "/dns" }))} />
        <Button onPress={() => void saveFile(zone)}>{text.out}</Button>
      </div>
      <Secondaries zone={id} />
      <Records zone={id} />
    </div>
  );
}

async function saveFile({ id, name }: DnsZone) {
  const url = urlOf(call("get", "/api/v1/dns-zones/{id}/export", { params: { path: { id } } }));
  save(`${name.replace(/\.$/, "")}.zone`, await (await transport(new Request(url))).blob());
}

function actsOf(zone: DnsZone, etag: string | null, onGone: () => void): Act[] {
  return [
    changeOf(kept, zone, etag, text.edit),
    {
      id: "in",
      title: text.in,
      may: "write",
      form: (close) => <TakeFile zone={zone.id} onClose={close} />,
    },
    {
      id: "check",
      title: text.check.title,
      may: "read",
      form: (close) => <CheckZone zone={zone.id} onClose={close} />,
    },
    {
      id: "reconcile",
      title: text.reconcile,
      may: "write",
      form: (close) => <Reconcile zone={zone.id} onClose={close} />,
    },
    deletionOf(kept, zone, text.remove, onGone),
  ];
}
