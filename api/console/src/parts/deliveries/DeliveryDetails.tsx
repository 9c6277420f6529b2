import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { text } from "../../text/deliveries.ts";
import { Acts } from "../Acts.tsx";
import { Confirm } from "../Confirm.tsx";
import { Facts } from "../Facts.tsx";
import { Moment } from "../Moment.tsx";
import { stateOf } from "./Deliveries.tsx";

export function DeliveryDetails({ id, onBack }: { id: string; onBack: () => void }) {
  const params = { path: { id } };
  const { data, error } = useAsk(call("get", "/api/v1/deliveries/{id}", { params }), {
    refetchInterval: 30_000,
  });
  const delivery = data?.data;
  const names = text.delivery;
  return (
    <div className="stack">
      {error && <p className="notice bad">{error.message}</p>}
      {delivery && (
        <>
          <Facts
            facts={[
              [names.event, delivery.event],
              [names.state, stateOf(delivery)],
              [names.tries, delivery.attempts],
              [names.answer, delivery.response_status],
              [names.took, delivery.latency_ms === null ? null : text.milliseconds(delivery.latency_ms)],
              [names.error, delivery.last_error],
              [names.next, delivery.next_attempt_at && <Moment at={delivery.next_attempt_at} />],
              [names.at, <Moment key="u" at={delivery.updated_at} />],
              [names.response, delivery.response && <pre>{delivery.response}</pre>],
              [names.payload, <pre key="p">{JSON.stringify(delivery.payload, null, 2)}</pre>],
            ]}
          />
          <Acts
            acts={[
              {
                id: "redeliver",
                title: text.redeliver,
                may: "operate",
                form: (close) => (
                  <Confirm
                    title={text.redeliverTitle}
                    explain={text.redeliverExplain}
                    call={call("post", "/api/v1/deliveries/{id}/redeliver", { params })}
                    action={text.redeliver}
                    onDone={close}
                    onCancel={close}
                  />
                ),
              },
            ]}
          />
        </>
      )}
      <div className="row">
        <Button onPress={onBack}>{text.back}</Button>
      </div>
    </div>
  );
}
