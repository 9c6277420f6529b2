import { useNavigate } from "@tanstack/react-router";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import type { Field } from "../../parts/fields/Fields.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { text as shared } from "../../text/frame.ts";
import { text } from "./text.ts";

export type DnsZone = components["schemas"]["DnsZone"];
const { zones: names } = text;

export const zoneFields: readonly Field[] = [
  { name: "description", label: names.description },
  { name: "dns_server_id", nullable: true, label: names.server, hint: names.serverHint },
  { name: "dns_enabled", kind: "check", label: names.enabled },
  { name: "default_ttl", kind: "number", label: names.ttl },
  { name: "mname", nullable: true, label: names.mname },
  { name: "rname", nullable: true, label: names.rname },
  { name: "transfer_networks", kind: "list", label: names.networks },
];

export function Zones() {
  const navigate = useNavigate();
  const tenant = useTenant();
  return (
    <Listing
      name="dns-zones"
      label={text.tabs.zones}
      columns={columns}
      list={call("get", "/api/v1/dns-zones", { params: { query: { ...tenant } } })}
      onOpen={(zone) => void navigate({ to: `/dns/zones/${zone.id}` })}
    >
      <CreateButton title={names.add}>
        {(close) => (
          <CreateForm
            fields={[
              { name: "name", label: names.name, required: true },
              ...zoneFields,
              { name: "tenant_id", label: names.tenant, hint: names.tenantHint },
            ]}
            callOf={(body) => call("post", "/api/v1/dns-zones", { body: body as never })}
            action={text.make}
            onDone={close}
            onCancel={close}
          />
        )}
      </CreateButton>
    </Listing>
  );
}

const columns: readonly Column<DnsZone>[] = [
  { id: "name", title: names.name, cell: (zone) => zone.name, width: "minmax(12rem, 2fr)" },
  {
    id: "dns_enabled",
    title: names.enabled,
    cell: (zone) => (zone.dns_enabled ? shared.yes : shared.no),
    width: "9rem",
  },
  { id: "serial", title: names.serial, cell: (zone) => zone.serial, width: "9rem" },
  { id: "description", title: names.description, cell: (zone) => zone.description },
  { id: "tenant_id", title: names.tenant, cell: (zone) => zone.tenant_id, optional: true },
];
