// The state of the whole at a glance, and the inbox of what wants a person.
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { text as shared } from "../../text/frame.ts";
import { Inbox } from "./Inbox.tsx";
import { Cap, Nodes, Pools, Problems, Rates, WaitingWork } from "./Panels.tsx";
import "./overview.css";
import { text } from "./text.ts";

const MINUTE = 60_000;

export default function Overview() {
  const { data, error } = useAsk(call("get", "/api/v1/dashboard"), { refetchInterval: MINUTE });
  const board = data?.data;
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      {error && <p className="notice bad">{error.message}</p>}
      {board === undefined && !error && <p role="status">{shared.loading}</p>}
      {board && (
        <>
          <Inbox filling={board.pools_near_full} />
          <div className="overview-panels">
            <Cap board={board} />
            <Rates traffic={board.traffic} />
            <Pools pools={board.top_pools} />
            <Nodes nodes={board.nodes} />
            <WaitingWork outbox={board.outbox} />
            <Problems problems={board.problems} />
          </div>
        </>
      )}
    </div>
  );
}
