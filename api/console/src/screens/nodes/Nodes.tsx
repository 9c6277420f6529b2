// The processes of this installation: their state, draining of a server, and removal of nodes that are
// gone.
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { Deletion } from "../../parts/deletion/Deletion.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { useRefresh } from "../../parts/live/useRefresh.ts";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useUrl } from "../../parts/useUrl.ts";
import { text } from "./text.ts";

type Node = components["schemas"]["Node"];
const LIST = call("get", "/api/v1/nodes");
const READINGS = [{ of: LIST, upon: ["node.up", "node.down", "node.degraded"] }] as const;
const SERVERS = ["dhcp", "dhcp6"];
const DRAINED = [...SERVERS, "worker"];

export default function Nodes() {
  const [words, change] = useUrl();
  useRefresh(READINGS, {});
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Listing
        name="nodes"
        label={text.title}
        columns={columns}
        list={LIST}
        empty={text.empty}
        refetchInterval={30_000}
        onOpen={(node) => change({ node: node.id })}
      />
      {words.node && <NodeDrawer id={words.node} onClose={() => change({ node: undefined })} />}
    </div>
  );
}

const columns: readonly Column<Node>[] = [
  { id: "name", title: text.columns.name, cell: (node) => node.name, width: "minmax(10rem, 2fr)" },
  { id: "role", title: text.columns.role, cell: roleOf, width: "8rem" },
  { id: "state", title: text.columns.state, cell: stateOf, width: "7rem" },
  { id: "detail", title: text.columns.detail, cell: (node) => node.detail },
  {
    id: "heartbeat_at",
    title: text.columns.heartbeat,
    cell: (node) => <Moment at={node.heartbeat_at} inRow />,
    width: "11rem",
  },
  {
    id: "packets_per_second",
    title: text.columns.packets,
    cell: (node) => node.packets_per_second,
    width: "7rem",
  },
  { id: "version", title: text.columns.version, cell: (node) => node.version, width: "6rem", optional: true },
];

function roleOf(node: Node): string {
  return (text.roles as Record<string, string>)[node.role] ?? node.role;
}

function stateOf(node: Node): string {
  return (text.states as Record<string, string>)[node.state] ?? node.state;
}

function NodeDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const read = call("get", "/api/v1/nodes/{id}", { params: { path: { id } } });
  return (
    <ObjectDrawer read={read} nameOf={(node) => node.name} onClose={onClose}>
      {(node) => (
        <>
          <NodeFacts node={node} />
          <Acts acts={actsOf(node, onClose)} />
        </>
      )}
    </ObjectDrawer>
  );
}

function NodeFacts({ node }: { node: Node }) {
  const { columns: names } = text;
  return (
    <Facts
      facts={[
        [names.role, roleOf(node)],
        [names.state, stateOf(node)],
        [names.detail, node.detail],
        [names.version, node.version],
        [names.started, <Moment key="s" at={node.started_at} />],
        [names.heartbeat, <Moment key="h" at={node.heartbeat_at} />],
        [names.packets, node.packets_per_second],
        [names.acks, node.acks_per_second],
        [names.half, node.commit_p50_ms === null ? null : text.milliseconds(node.commit_p50_ms)],
        [names.most, node.commit_p99_ms === null ? null : text.milliseconds(node.commit_p99_ms)],
      ]}
    />
  );
}

function actsOf(node: Node, onClose: () => void): Act[] {
  const params = { path: { id: node.id } };
  const drain: Act = {
    id: "drain",
    title: text.drain,
    may: "operate",
    form: (close) => (
      <Confirm
        title={text.drainTitle(node.name)}
        explain={text.drainExplain}
        call={call("post", "/api/v1/nodes/{id}/drain", { params })}
        action={text.drain}
        onDone={close}
        onCancel={close}
      />
    ),
  };
  const force: Act = {
    id: "force",
    title: text.force,
    may: "write",
    form: (close) => (
      <Confirm
        title={text.forceTitle(node.name)}
        explain={text.forceExplain}
        call={call("post", "/api/v1/nodes/{id}/drain", { params: { ...params, query: { force: true } } })}
        action={text.force}
        onDone={close}
        onCancel={close}
      />
    ),
  };
  const undrain: Act = {
    id: "undrain",
    title: text.undrain,
    may: "operate",
    form: (close) => (
      <Confirm
        title={text.undrainTitle(node.name)}
        explain={text.undrainExplain}
        call={call("post", "/api/v1/nodes/{id}/undrain", { params })}
        action={text.undrain}
        onDone={close}
        onCancel={close}
      />
    ),
  };
  const forget: Act = {
    id: "forget",
    title: text.forget,
    may: "write",
    form: (close) => (
      <Deletion
        what={node.name}
        call={call("delete", "/api/v1/nodes/{id}", { params })}
        onDone={onClose}
        onCancel={close}
      />
    ),
  };
  if (node.state === "down") return [forget];
  if (node.state === "stopped") return DRAINED.includes(node.role) ? [undrain, forget] : [forget];
  if (!DRAINED.includes(node.role)) return [];
  if (node.state === "draining") return [undrain];
  return SERVERS.includes(node.role) ? [drain, force] : [drain];
}
