// Texts on deliveries of events, which webhooks and notifications show.
import { catalogue } from "./catalogue.ts";

export const text = catalogue({
  deliveries: "Deliveries",
  noDeliveries: "Nothing was sent yet.",
  delivery: {
    event: "Event",
    state: "State",
    answer: "Answer",
    tries: "Tries",
    at: "Last change",
    act: "Action",
    took: "Took",
    error: "What went wrong",
    next: "Next try",
    response: "What it answered",
    payload: "The message",
  },
  states: { pending: "Waiting", delivered: "Delivered", failed: "Failed", dead: "Given up" },
  milliseconds: (value: number) => `${value} ms`,
  show: "Show",
  showOne: (event: string) => `Show ${event}`,
  redeliver: "Send again",
  redeliverTitle: "Send the message again?",
  redeliverExplain: "The same message is sent again.",
  back: "Back to the deliveries",
  any: "Any",
});
