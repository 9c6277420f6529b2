import { useState } from "react";
import { call, callsOf } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { changeOf, deletionOf, type Kept } from "../../parts/collection/acts.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import type { Field } from "../../parts/fields/Fields.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { text } from "./text.ts";

type Schemas = components["schemas"];
type DnsServer = Schemas["DnsServer"];
const { servers: names } = text;

const fields: readonly Field[] = [
  { name: "name", label: names.name, required: true },
  {
    name: "adapter",
    kind: "choice",
    label: names.adapter,
    options: Object.entries(names.adapters).map(([id, title]) => ({ id, title })),
  },
  { name: "address", nullable: true, label: names.address },
  { name: "port", kind: "number", nullable: true, label: names.port },
  { name: "key_name", nullable: true, label: names.key },
  { name: "key_algorithm", nullable: true, label: names.algorithm, hint: names.algorithmHint },
  { name: "url", nullable: true, label: names.url },
  { name: "principal", nullable: true, label: names.principal },
  { name: "realm", nullable: true, label: names.realm },
  { name: "secret", kind: "secret", label: names.secret, hint: names.secretHint },
  { name: "description", label: names.description },
];

const kept: Kept<DnsServer> = {
  ...callsOf("/api/v1/dns-servers/{id}"),
  titleOf: ({ name }) => name,
  fields,
};

export function Servers() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  return (
    <>
      <Listing
        name="dns-servers"
        label={text.tabs.servers}
        columns={columns}
        list={call("get", "/api/v1/dns-servers", { params: { query: { ...tenant } } })}
        onOpen={(server) => change({ server: server.id })}
      >
        <CreateButton title={names.add}>
          {(close) => (
            <CreateForm
              fields={fields}
              start={{ adapter: "bind_tsig" }}
              callOf={(body) => call("post", "/api/v1/dns-servers", { body: body as never })}
              action={text.make}
              onDone={close}
              onCancel={close}
            />
          )}
        </CreateButton>
      </Listing>
      {words.server && <ServerDrawer id={words.server} onClose={() => change({ server: undefined })} />}
    </>
  );
}

const columns: readonly Column<DnsServer>[] = [
  { id: "name", title: names.name, cell: (server) => server.name },
  {
    id: "adapter",
    title: names.adapter,
    cell: ({ adapter }) => (names.adapters as Record<string, string>)[adapter] ?? adapter,
    width: "minmax(12rem, 1fr)",
  },
  { id: "address", title: names.address, cell: (server) => server.address ?? server.url },
  { id: "description", title: names.description, cell: (server) => server.description },
];

function ServerDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <ObjectDrawer read={kept.read(id)} nameOf={kept.titleOf} onClose={onClose}>
      {(server, etag) => (
        <>
          <Facts
            facts={[
              [names.adapter, (names.adapters as Record<string, string>)[server.adapter]],
              [names.address, server.address],
              [names.port, server.port],
              [names.url, server.url],
              [names.key, server.key_name],
              [names.algorithm, server.key_algorithm],
              [names.principal, server.principal],
              [names.realm, server.realm],
              [names.secret, server.has_secret ? shared.yes : shared.no],
              [names.description, server.description],
            ]}
          />
          <Acts acts={actsOf(server, etag, onClose)} />
        </>
      )}
    </ObjectDrawer>
  );
}

function actsOf(server: DnsServer, etag: string | null, onGone: () => void): Act[] {
  return [
    {
      id: "test",
      title: names.test,
      may: "operate",
      form: (close) => <Tried id={server.id} onDone={close} />,
    },
    changeOf(kept, server, etag, text.edit),
    deletionOf(kept, server, text.remove, onGone),
  ];
}

// The test with each of its steps.
function Tried({ id, onDone }: { id: string; onDone: () => void }) {
  const [found, setFound] = useState<Schemas["DnsServerTest"]>();
  return (
    <div className="stack">
      {found && (
        <>
          <p role="status" className={found.ok ? "notice" : "notice bad"}>
            {found.ok ? names.passed : names.failed}
          </p>
          <PlainTable
            label={names.test}
            rows={found.steps}
            idOf={(step) => step.name}
            columns={[
              { title: names.step.name, cell: (step) => step.name },
              { title: names.step.ok, cell: (step) => (step.ok ? shared.yes : shared.no) },
              { title: names.step.detail, cell: (step) => step.detail },
            ]}
          />
        </>
      )}
      <Confirm
        title={names.testTitle}
        explain={names.testExplain}
        call={call("post", "/api/v1/dns-servers/{id}/test", { params: { path: { id } } })}
        action={names.test}
        onDone={setFound}
        onCancel={onDone}
      />
    </div>
  );
}
