import { call, callsOf } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { Acts } from "../../parts/Acts.tsx";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { changeOf, deletionOf, type Kept } from "../../parts/collection/acts.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
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
  { id: "served_ttl", title: names.served_ttl, cell: (record) => record.served_ttl, optional: true },
  { id: "source", title: names.source, cell: (record) => record.source, width: "8rem" },
  { id: "description", title: names.description, cell: (record) => record.description, optional: true },
];

const kept: Kept<DnsRecord> = {
  ...callsOf("/api/v1/dns-records/{id}"),
  titleOf: ({ fqdn }) => fqdn,
  fields,
};

// What follows a lease, reservation or assignment is changed there.
const inRow: RowEdit<DnsRecord> = { ...kept, may: (record) => record.source === "static" };

// Probable mistakes: a name without its trailing dot, a target that does not exist.
function RecordWarnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className="notice" role="note">
      <strong>{names.warnings(warnings.length)}</strong>
      <ul>
        {warnings.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </div>
  );
}

function RecordDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <ObjectDrawer read={kept.read(id)} nameOf={kept.titleOf} onClose={onClose}>
      {(record, etag) => (
        <>
          <Facts
            facts={[
              [names.type, record.type],
              [names.data, record.data],
              [names.ttl, record.ttl],
              [names.served_ttl, record.served_ttl],
              [names.source, record.source],
              [names.description, record.description],
            ]}
          />
          <RecordWarnings warnings={record.warnings} />
          {record.source === "static" ? (
            <Acts
              acts={[changeOf(kept, record, etag, text.edit), deletionOf(kept, record, text.remove, onClose)]}
            />
          ) : (
            <p className="quiet">{names.fixed}</p>
          )}
        </>
      )}
    </ObjectDrawer>
  );
}
