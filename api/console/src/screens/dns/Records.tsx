import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { Deletion } from "../../parts/deletion/Deletion.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import { EditForm } from "../../parts/fields/EditForm.tsx";
import type { Field } from "../../parts/fields/Fields.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { EditedListing } from "../../parts/table/EditedListing.tsx";
import type { RowEdit } from "../../parts/table/useRowEdit.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { text } from "./text.ts";

type DnsRecord = components["schemas"]["DnsRecord"];
const { records: names } = text;

const fields: readonly Field[] = [
  { name: "name", label: names.name, required: true },
  { name: "type", label: names.type, required: true },
  { name: "data", label: names.data, required: true },
  { name: "ttl", kind: "number", nullable: true, label: names.ttl },
  { name: "description", label: names.description },
];

export function Records({ zone }: { zone: string }) {
  const [words, change] = useUrl();
  const path = { zone_id: zone };
  return (
    <>
      <h2>{names.title}</h2>
      <EditedListing
        name="dns-records"
        label={names.title}
        columns={columns}
        list={call("get", "/api/v1/dns-zones/{zone_id}/records", { params: { path } })}
        onOpen={(record) => change({ record: record.id })}
        edit={inRow}
      >
        <CreateButton title={names.add}>
          {(close) => (
            <CreateForm
              fields={fields}
              callOf={(body) =>
                call("post", "/api/v1/dns-zones/{zone_id}/records", { params: { path }, body: body as never })
              }
              action={text.make}
              onDone={close}
              onCancel={close}
            />
          )}
        </CreateButton>
      </EditedListing>
      {words.record && <RecordDrawer id={words.record} onClose={() => change({ record: undefined })} />}
    </>
  );
}

const columns: readonly Column<DnsRecord>[] = [
  { id: "name", title: names.name, cell: (record) => record.name, width: "minmax(10rem, 1fr)" },
  { id: "type", title: names.type, cell: (record) => record.type, width: "6rem" },
  { id: "data", title: names.data, cell: (record) => record.data, width: "minmax(12rem, 2fr)" },
  { id: "ttl", title: names.ttl, cell: (record) => record.ttl, width: "8rem" },
  { id: "source", title: names.source, cell: (record) => record.source, width: "8rem" },
  { id: "description", title: names.description, cell: (record) => record.description, optional: true },
];

// What follows a lease, reservation or assignment is changed there.
const inRow: RowEdit<DnsRecord> = {
  fields,
  may: (record) => record.source === "static",
  titleOf: (record) => record.fqdn,
  read: (id) => call("get", "/api/v1/dns-records/{id}", { params: { path: { id } } }),
  update: (id, body, header) =>
    call("patch", "/api/v1/dns-records/{id}", { params: { path: { id }, header }, body }),
};

function RecordDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const read = call("get", "/api/v1/dns-records/{id}", { params: { path: { id } } });
  return (
    <ObjectDrawer read={read} nameOf={(record) => record.fqdn} onClose={onClose}>
      {(record, etag) => (
        <>
          <Facts
            facts={[
              [names.type, record.type],
              [names.data, record.data],
              [names.ttl, record.ttl],
              [names.source, record.source],
              [names.description, record.description],
            ]}
          />
          {record.source === "static" ? (
            <Acts acts={actsOf(record, etag, onClose)} />
          ) : (
            <p className="quiet">{names.fixed}</p>
          )}
        </>
      )}
    </ObjectDrawer>
  );
}

function actsOf(record: DnsRecord, etag: string | null, onClose: () => void): Act[] {
  const path = { id: record.id };
  return [
    {
      id: "edit",
      title: text.edit,
      may: "write",
      form: (close) => (
        <EditForm
          fields={fields}
          object={record}
          etag={etag}
          callOf={(body, header) =>
            call("patch", "/api/v1/dns-records/{id}", { params: { path, header }, body })
          }
          read={call("get", "/api/v1/dns-records/{id}", { params: { path } })}
          action={text.edit}
          onDone={close}
          onCancel={close}
        />
      ),
    },
    {
      id: "remove",
      title: text.remove,
      may: "write",
      form: (close) => (
        <Deletion
          what={record.fqdn}
          call={call("delete", "/api/v1/dns-records/{id}", { params: { path } })}
          onDone={onClose}
          onCancel={close}
        />
      ),
    },
  ];
}
