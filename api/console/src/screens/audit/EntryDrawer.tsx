import { useAsk } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import type { AuditEntry } from "../../api/types.ts";
import { Acts } from "../../parts/Acts.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { ActionForm } from "../../parts/form/ActionForm.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { collectionOf, differences, restoration } from "../../pure/trail.ts";
import { actionOf } from "./actionOf.ts";
import { text } from "./text.ts";

// Those that the API lets change; what else the trail tells of has no Restore.
const PATCHED = new Set([
  "assignments",
  "client-classes",
  "dns-records",
  "dns-servers",
  "dns-zones",
  "excludes",
  "option-definitions",
  "options",
  "pools",
  "prefixes",
  "reservations",
  "subnets",
  "tenants",
  "tokens",
  "trusted-relays",
  "webhooks",
]);

export function EntryDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const read = call("get", "/api/v1/audit/{id}", { params: { path: { id } } });
  return (
    <ObjectDrawer
      read={read}
      nameOf={(entry) => text.entry(actionOf(entry), entry.object_type)}
      onClose={onClose}
    >
      {(entry) => (
        <>
          <Facts
            facts={[
              [text.columns.at, <Moment key="a" at={entry.at} />],
              [text.columns.who, entry.token_name],
              [text.columns.from, entry.remote_address],
              [text.columns.request, entry.request_id],
              [text.id, entry.object_id],
            ]}
          />
          <h3>{text.changes}</h3>
          <PlainTable
            label={text.changes}
            rows={differences(entry.before as Fields, entry.after as Fields)}
            idOf={({ field }) => field}
            columns={[
              { title: text.field, cell: ({ field }) => field },
              { title: text.before, cell: ({ before }) => shown(before) },
              { title: text.after, cell: ({ after }) => shown(after) },
            ]}
          />
          <Acts acts={restorable(entry) ? [restoreOf(entry)] : []} />
        </>
      )}
    </ObjectDrawer>
  );
}

type Fields = Record<string, unknown> | null;

function shown(value: unknown): string {
  if (value === undefined || value === null) return text.unset;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function restorable(entry: AuditEntry): boolean {
  const back = restoration(entry.before as Fields, entry.after as Fields);
  return PATCHED.has(collectionOf(entry.object_type)) && Object.keys(back).length > 0;
}

function restoreOf(entry: AuditEntry) {
  return {
    id: "restore",
    title: text.restore,
    may: "administer" as const,
    form: (close: () => void) => <Restore entry={entry} onDone={close} />,
  };
}

function Restore({ entry, onDone }: { entry: AuditEntry; onDone: () => void }) {
  const at = itemOf(entry);
  const read: Call = { ...at, method: "get" };
  const { data, error } = useAsk(read, { retry: false });
  const body = restoration(entry.before as Fields, entry.after as Fields);
  if (error) return <p className="notice bad">{error.message}</p>;
  if (!data?.etag) return null;
  return (
    <ActionForm
      call={{ ...at, method: "patch", headers: { "If-Match": data.etag }, body }}
      read={read}
      action={text.restore}
      onDone={onDone}
      onCancel={onDone}
    >
      {() => (
        <>
          <h3>{text.restoreTitle}</h3>
          <p>{text.restoreExplain}</p>
        </>
      )}
    </ActionForm>
  );
}

// The object's place in the API. Its family is known only as the page runs, so the type checker cannot look at it.
function itemOf({ object_type, object_id }: AuditEntry): Omit<Call, "method"> {
  const template = `/api/v1/${collectionOf(object_type)}/{id}` as Call["template"];
  return { template, path: { id: object_id }, query: {}, headers: {} };
}
