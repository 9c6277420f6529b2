// The queue of updates that servers are sent, and those that want a second try.
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { Acts } from "../../parts/Acts.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { Choice } from "../../parts/form/Choice.tsx";
import type { Watch } from "../../parts/live/useChanges.ts";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { text } from "./text.ts";

type DdnsUpdate = components["schemas"]["DdnsUpdate"];
const { updates: names } = text;
const STATES = [
  { id: "", title: names.any },
  ...Object.entries(names.states).map(([id, title]) => ({ id, title })),
];
const WATCH: Watch = { type: ["ddns.applied", "ddns.failed", "ddns.conflict"] };
const AGAIN = ["failed", "conflict", "retrying"];

export function Updates() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  const query = { ...tenant, state: words.state };
  return (
    <>
      <search className="filters">
        <Choice
          label={names.state}
          value={words.state ?? ""}
          options={STATES}
          onChange={(state) => change({ state })}
        />
      </search>
      <Listing
        name="ddns-updates"
        label={text.tabs.updates}
        columns={columns}
        list={call("get", "/api/v1/ddns-updates", { params: { query: query as never } })}
        watch={WATCH}
        onOpen={(update) => change({ update: update.id })}
      />
      {words.update && <UpdateDrawer id={words.update} onClose={() => change({ update: undefined })} />}
    </>
  );
}

function stateOf({ state }: DdnsUpdate): string {
  return (names.states as Record<string, string>)[state] ?? state;
}

const columns: readonly Column<DdnsUpdate>[] = [
  { id: "fqdn", title: names.fqdn, cell: (update) => update.fqdn, width: "minmax(12rem, 2fr)" },
  { id: "ip", title: names.ip, cell: (update) => update.ip },
  { id: "action", title: names.action, cell: (update) => update.action, width: "6rem" },
  { id: "state", title: names.state, cell: stateOf, width: "minmax(9rem, 1fr)" },
  { id: "last_error", title: names.error, cell: (update) => update.last_error },
  {
    id: "updated_at",
    title: names.at,
    cell: (update) => <Moment at={update.updated_at} inRow />,
    width: "11rem",
  },
];

function UpdateDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const params = { path: { id } };
  return (
    <ObjectDrawer
      read={call("get", "/api/v1/ddns-updates/{id}", { params })}
      nameOf={(update) => update.fqdn}
      onClose={onClose}
    >
      {(update) => (
        <>
          <Facts
            facts={[
              [names.ip, update.ip],
              [names.target, update.target],
              [names.action, update.action],
              [names.state, stateOf(update)],
              [names.attempts, update.attempts],
              [names.error, update.last_error],
              [names.next, update.next_attempt_at && <Moment at={update.next_attempt_at} />],
              [names.at, <Moment key="u" at={update.updated_at} />],
            ]}
          />
          {AGAIN.includes(update.state) && (
            <Acts
              acts={[
                {
                  id: "retry",
                  title: names.retry,
                  may: "operate",
                  form: (close) => (
                    <Confirm
                      title={names.retryTitle}
                      explain={names.retryExplain}
                      call={call("post", "/api/v1/ddns-updates/{id}/retry", { params })}
                      action={names.retry}
                      onDone={close}
                      onCancel={close}
                    />
                  ),
                },
              ]}
            />
          )}
        </>
      )}
    </ObjectDrawer>
  );
}
