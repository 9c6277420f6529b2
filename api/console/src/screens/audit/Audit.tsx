// All changes with their authors, newest first.
import { call } from "../../api/calls.ts";
import type { AuditEntry } from "../../api/types.ts";
import { Choice } from "../../parts/form/Choice.tsx";
import { UrlEntry } from "../../parts/form/UrlEntry.tsx";
import { Moment } from "../../parts/Moment.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl, type Words } from "../../parts/useUrl.ts";
import { actionOf } from "./actionOf.ts";
import { EntryDrawer } from "./EntryDrawer.tsx";
import { text } from "./text.ts";

const WORDS = ["q", "action", "object_type", "object_id", "subnet_id", "since", "until"] as const;

export default function Audit() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  const query = { ...tenant, ...Object.fromEntries(WORDS.map((word) => [word, words[word]])) };
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Filters words={words} change={change} />
      <Listing
        name="audit"
        label={text.title}
        columns={columns}
        list={call("get", "/api/v1/audit", { params: { query: query as never } })}
        onOpen={(entry) => change({ entry: entry.id })}
      />
      {words.entry && <EntryDrawer id={words.entry} onClose={() => change({ entry: undefined })} />}
    </div>
  );
}

type FilterProps = { words: Words; change: (changed: Words) => void };

function Filters({ words, change }: FilterProps) {
  return (
    <search className="filters">
      <UrlEntry label={text.filter} />
      <Choice
        label={text.action}
        value={words.action ?? ""}
        options={[
          { id: "", title: text.any },
          ...Object.entries(text.actions).map(([id, title]) => ({ id, title })),
        ]}
        onChange={(action) => change({ action })}
      />
      <UrlEntry label={text.kind} hint={text.kindHint} word="object_type" />
    </search>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  { id: "at", title: text.columns.at, cell: (entry) => <Moment at={entry.at} inRow />, width: "11rem" },
  { id: "token_name", title: text.columns.who, cell: (entry) => entry.token_name },
  { id: "action", title: text.columns.action, cell: actionOf, width: "7rem" },
  { id: "object_type", title: text.columns.kind, cell: (entry) => entry.object_type, width: "9rem" },
  { id: "object_id", title: text.columns.object, cell: nameOf, width: "minmax(10rem, 2fr)" },
  {
    id: "remote_address",
    title: text.columns.from,
    cell: (entry) => entry.remote_address,
    optional: true,
  },
  { id: "request_id", title: text.columns.request, cell: (entry) => entry.request_id, optional: true },
];

// What people call the object, else its id.
function nameOf({ before, after, object_id }: AuditEntry): string {
  const object = (after ?? before ?? {}) as Record<string, unknown>;
  const name = object.name || object.cidr || object.fqdn || object.ip || object.url;
  return typeof name === "string" ? name : object_id;
}
