// The state of the installation at a glance, and an inbox of problems that need attention.
import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/ask.ts";
import { LiveState } from "../../parts/live/LiveState.tsx";
import { useRefresh } from "../../parts/live/useRefresh.ts";
import { useTenant } from "../../parts/useSession.ts";
import { text as shared } from "../../text/frame.ts";
import { Inbox } from "./Inbox.tsx";
import { Cap, Nodes, Pools, Problems, Rates, WaitingWork } from "./Panels.tsx";
import "./overview.css";
import { dashboard, readingsOf } from "./readings.ts";
import { text } from "./text.ts";

const MINUTE = 60_000;

export default function Overview() {
  const { data, error } = useAsk(dashboard, { refetchInterval: MINUTE });
  const tenant = useTenant();
  const followed = useRefresh(readingsOf(tenant), tenant);
  const board = data?.data;
  return (
    <div className="stack">
      <div className="row">
        <h1>{text.title}</h1>
        <LiveState followed={followed} />
      </div>
      {error && <p className="notice bad">{error.message}</p>}
      {board === undefined && !error && <p role="status">{shared.loading}</p>}
      {board && (
        <>
          {board.counts.subnets === 0 && <EmptyPlan />}
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

// Clients get no address before there is a subnet.
function EmptyPlan() {
  return (
    <section className="notice">
      <h2>{text.emptyPlan}</h2>
      <p>{text.emptyPlanExplain}</p>
      <p className="row">
        <Link to="/prefixes">{text.toPrefixes}</Link>
        <Link to="/import">{text.toImport}</Link>
      </p>
    </section>
  );
}
