import { useState } from "react";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { Drawer } from "../../parts/Drawer.tsx";
import { ExplainDrawer } from "../../parts/explain/Explain.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { useMay } from "../../parts/useSession.ts";
import { networkOf } from "../../pure/counted.ts";
import { TrustForm } from "./TrustForm.tsx";
import { text } from "./text.ts";

type UnknownRelay = components["schemas"]["UnknownRelay"];
const LIST = call("get", "/api/v1/trusted-relays/unknown", { params: { query: { limit: 100 } } });

export function Unknown() {
  const { data } = useAsk(LIST, { refetchInterval: 60_000 });
  const [trusted, setTrusted] = useState<string>();
  const [explained, setExplained] = useState<string>();
  const may = useMay("write");
  const close = () => setTrusted(undefined);
  const act = {
    title: text.trust,
    cell: ({ address }: UnknownRelay) => (
      <Button className="small" aria-label={text.trustOne(address)} onPress={() => setTrusted(address)}>
        {text.trust}
      </Button>
    ),
  };
  const explain = {
    title: text.explain,
    cell: ({ address }: UnknownRelay) => (
      <Button className="small" aria-label={text.explainOne(address)} onPress={() => setExplained(address)}>
        {text.explain}
      </Button>
    ),
  };
  return (
    <section className="panel">
      <h2>{text.unknown}</h2>
      <p className="quiet">{text.unknownExplain}</p>
      <PlainTable
        label={text.unknown}
        rows={data?.data.items ?? []}
        idOf={(relay) => relay.id}
        empty={text.noUnknown}
        columns={[
          { title: text.columns.address, cell: (relay) => relay.address },
          { title: text.columns.count, cell: (relay) => relay.count.toLocaleString() },
          { title: text.columns.first, cell: (relay) => <Moment at={relay.first_seen_at} /> },
          { title: text.columns.last, cell: (relay) => <Moment at={relay.last_seen_at} /> },
          explain,
          ...(may ? [act] : []),
        ]}
      />
      {explained && (
        <ExplainDrawer
          family={explained.includes(":") ? "6" : "4"}
          start={{ relay: explained, ...(explained.includes(":") ? { link_address: explained } : {}) }}
          onClose={() => setExplained(undefined)}
        />
      )}
      {trusted && (
        <Drawer title={text.trustOne(trusted)} onClose={close}>
          <TrustForm start={{ cidr: networkOf(trusted) }} onDone={close} />
        </Drawer>
      )}
    </section>
  );
}
