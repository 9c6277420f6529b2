// The reservations of all subnets, and those that apply in every subnet of the tenant.
import { useMemo } from "react";
import { call } from "../../api/calls.ts";
import { Collection } from "../../parts/collection/Collection.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { reservationsOf } from "./families.tsx";
import { text } from "./text.ts";

export default function Reservations() {
  const { tenant_id } = useTenant();
  const family = useMemo(() => everywhere(tenant_id), [tenant_id]);
  return (
    <div className="table">
      <h1>{text.tabs.reservations}</h1>
      <Collection family={family} />
    </div>
  );
}

function everywhere(tenant_id: string | undefined) {
  const query = tenant_id === undefined ? {} : { tenant_id };
  const own = reservationsOf("");
  return {
    ...own,
    list: call("get", "/api/v1/reservations", { params: { query } }),
    create: (body: object) => call("post", "/api/v1/reservations", { body: body as never }),
    fields: [{ name: "subnet_id", label: text.columns.subnet, hint: text.hints.subnet }, ...own.fields],
    columns: [
      ...own.columns,
      { id: "subnet_id", title: text.columns.subnet, cell: subnetOf, optional: true },
    ],
  };
}

function subnetOf({ subnet_id }: { subnet_id: string | null }) {
  return subnet_id;
}
