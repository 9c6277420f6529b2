// One host: any identifier finds its leases, and their addresses and names find the rest.
import { useState } from "react";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { ExplainDrawer } from "../../parts/explain/Explain.tsx";
import { UrlEntry } from "../../parts/form/UrlEntry.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { type Identified, identify } from "../../pure/identify.ts";
import { startOf } from "../../pure/question.ts";
import { History, type Lease, Leases, Names, Reservations, Updates } from "./Sections.tsx";
import { text } from "./text.ts";

export default function Host() {
  const [words] = useUrl();
  const who = identify(words.q ?? "");
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      <p className="quiet">{text.explain}</p>
      <search className="filters">
        <UrlEntry label={text.field} />
      </search>
      {who ? <Known who={who} /> : <p>{text.begin}</p>}
    </div>
  );
}

function Known({ who }: { who: Identified }) {
  const tenant = useTenant();
  const [explained, setExplained] = useState<Lease>();
  const query = { limit: 50, ...tenant, [who.kind]: who.value };
  const leases = useAsk(call("get", "/api/v1/leases", { params: { query } }));
  const found = leases.data?.data.items ?? [];
  const name =
    who.kind === "hostname" ? who.value : (found.find((lease) => lease.hostname)?.hostname ?? null);
  return (
    <>
      {leases.error && <p className="notice bad">{leases.error.message}</p>}
      <Leases leases={found} onExplain={setExplained} />
      <Reservations query={query} />
      <Names addresses={found.map((lease) => lease.ip)} />
      {name && <Updates name={name} />}
      <History query={query} />
      {explained && <ExplainDrawer {...toAsk(explained)} onClose={() => setExplained(undefined)} />}
    </>
  );
}

function toAsk(lease: Lease) {
  const { family, typed } = startOf(lease);
  return { family, start: typed };
}
