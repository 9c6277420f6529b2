// The latest messages of a webhook or a notification, and the result of each.
import { useState } from "react";
import { Button } from "react-aria-components";
import type { Call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { text } from "../../text/deliveries.ts";
import { text as shared } from "../../text/frame.ts";
import { Choice } from "../form/Choice.tsx";
import { Moment } from "../Moment.tsx";
import { PlainTable } from "../PlainTable.tsx";
import { useRows } from "../table/useRows.ts";

type Delivery = components["schemas"]["Delivery"];
type State = keyof typeof text.states;

const STATES = [
  { id: "", title: text.any },
  ...Object.entries(text.states).map(([id, title]) => ({ id, title })),
];

export function stateOf(delivery: Delivery): string {
  return text.states[delivery.state as State] ?? delivery.state;
}

type Page = components["schemas"]["Page_Delivery_"];
type Query = { state?: State };
type Props = { list: (query: Query) => Call<Page>; onShow: (id: string) => void };

export function Deliveries({ list, onShow }: Props) {
  const [state, setState] = useState("");
  const rows = useRows<Delivery>(list(state === "" ? {} : { state: state as State }), 30_000);
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
