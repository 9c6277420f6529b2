// The latest messages of a webhook, and what became of them.
import { useState } from "react";
import { Button } from "react-aria-components";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { Choice } from "../../parts/form/Choice.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { useRows } from "../../parts/table/useRows.ts";
import { text as shared } from "../../text/frame.ts";
import { text } from "./text.ts";

type Delivery = components["schemas"]["Delivery"];
type State = keyof typeof text.states;

const STATES = [
  { id: "", title: text.any },
  ...Object.entries(text.states).map(([id, title]) => ({ id, title })),
];

export function stateOf(delivery: Delivery): string {
  return text.states[delivery.state as State] ?? delivery.state;
}

export function Deliveries({ webhook, onShow }: { webhook: string; onShow: (id: string) => void }) {
  const [state, setState] = useState("");
  const query = state === "" ? {} : { state: state as State };
  const path = { webhook_id: webhook };
  const rows = useRows<Delivery>(
    call("get", "/api/v1/webhooks/{webhook_id}/deliveries", { params: { path, query } }),
    30_000,
  );
  return (
    <section>
      <h3>{text.deliveries}</h3>
      <Choice label={text.delivery.state} options={STATES} value={state} onChange={setState} />
      <PlainTable
        label={text.deliveries}
        rows={rows.rows}
        idOf={(delivery) => delivery.id}
        empty={text.noDeliveries}
        columns={[
          { title: text.delivery.event, cell: (delivery) => delivery.event },
          { title: text.delivery.state, cell: stateOf },
          { title: text.delivery.answer, cell: (delivery) => delivery.response_status },
          { title: text.delivery.tries, cell: (delivery) => delivery.attempts },
          { title: text.delivery.at, cell: (delivery) => <Moment at={delivery.updated_at} /> },
          {
            title: text.delivery.act,
            cell: ({ id, event }) => (
              <Button className="small" aria-label={text.showOne(event)} onPress={() => onShow(id)}>
                {text.show}
              </Button>
            ),
          },
        ]}
      />
      {rows.more && <Button onPress={rows.loadMore}>{shared.table.older}</Button>}
    </section>
  );
}
