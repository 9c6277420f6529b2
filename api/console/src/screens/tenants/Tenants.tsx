// Tenants, each with its own objects.
import { call, callsOf } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { changeOf, deletionOf, type Kept } from "../../parts/collection/acts.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useUrl } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { text } from "./text.ts";

type Tenant = components["schemas"]["Tenant"];
const LIST = call("get", "/api/v1/tenants");
const kept: Kept<Tenant> = {
  ...callsOf("/api/v1/tenants/{id}"),
  titleOf: ({ name }) => name,
  fields: [
    { name: "name", label: text.columns.name, hint: text.nameHint, required: true },
    { name: "description", label: text.columns.description },
    { name: "dns_suffixes", kind: "list", label: text.columns.suffixes, hint: text.suffixesHint },
  ],
};

export default function Tenants() {
  const [words, change] = useUrl();
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Listing
        name="tenants"
        label={text.title}
        columns={columns}
        list={LIST}
        onOpen={(tenant) => change({ tenant: tenant.id })}
      >
        <CreateButton title={text.add}>
          {(close) => (
            <CreateForm
              fields={kept.fields}
              callOf={(body) => call("post", "/api/v1/tenants", { body: body as never })}
              action={text.make}
              onDone={close}
              onCancel={close}
            />
          )}
        </CreateButton>
      </Listing>
      {words.tenant && <TenantDrawer id={words.tenant} onClose={() => change({ tenant: undefined })} />}
    </div>
  );
}

const columns: readonly Column<Tenant>[] = [
  { id: "name", title: text.columns.name, cell: (tenant) => tenant.name, width: "minmax(10rem, 1fr)" },
  {
    id: "description",
    title: text.columns.description,
    cell: (tenant) => tenant.description,
    width: "minmax(10rem, 2fr)",
  },
  {
    id: "is_default",
    title: text.columns.isDefault,
    cell: (tenant) => (tenant.is_default ? shared.yes : shared.no),
    width: "11rem",
  },
  {
    id: "created_at",
    title: text.columns.created,
    cell: (tenant) => <Moment at={tenant.created_at} inRow />,
    width: "11rem",
  },
];

function TenantDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <ObjectDrawer read={kept.read(id)} nameOf={kept.titleOf} onClose={onClose}>
      {(tenant, etag) => (
        <>
          <Facts
            facts={[
              [text.id, <code key="i">{tenant.id}</code>],
              [text.columns.description, tenant.description],
              [text.columns.suffixes, tenant.dns_suffixes.join(", ")],
              [text.columns.isDefault, tenant.is_default ? shared.yes : shared.no],
              [text.columns.created, <Moment key="c" at={tenant.created_at} />],
            ]}
          />
          <Acts acts={actsOf(tenant, etag, onClose)} />
        </>
      )}
    </ObjectDrawer>
  );
}

function actsOf(tenant: Tenant, etag: string | null, onGone: () => void): Act[] {
  const change = changeOf(kept, tenant, etag, text.edit);
  return tenant.is_default ? [change] : [change, deletionOf(kept, tenant, text.remove, onGone)];
}
