import type { Family } from "../../pure/question.ts";
import type { Field } from "../fields/Fields.tsx";
import { text } from "./text.ts";

const { fields: names, hints } = text;
type Message = keyof typeof text.messages;
const MESSAGES4: readonly Message[] = ["discover", "request", "renew", "rebind", "init_reboot"];
const MESSAGES6: readonly Message[] = [
  "solicit",
  "request",
  "renew",
  "rebind",
  "confirm",
  "information_request",
];

const message = (ids: readonly Message[]): Field => ({
  name: "message",
  kind: "choice",
  label: names.message,
  options: ids.map((id) => ({ id, title: text.messages[id] })),
});
const plain = (name: keyof typeof names): Field => ({ name, label: names[name] });

export const FIELDS: Readonly<Record<Family, readonly Field[]>> = {
  "4": [
    message(MESSAGES4),
    plain("mac"),
    { ...plain("relay"), hint: hints.relay },
    plain("interface"),
    plain("client_id"),
    plain("requested_ip"),
    plain("ciaddr"),
    plain("hostname"),
    plain("vendor_class"),
    plain("user_class"),
    plain("circuit_id"),
    plain("remote_id"),
    plain("link_selection"),
  ],
  "6": [
    message(MESSAGES6),
    { ...plain("link_address"), hint: hints.link_address, required: true },
    { ...plain("duid"), required: true },
    {
      name: "asks_for",
      kind: "choice",
      label: names.asks_for,
      options: Object.entries(text.asksFor).map(([id, title]) => ({ id, title })),
    },
    plain("relay"),
    plain("mac"),
    plain("interface_id"),
    plain("vendor_class"),
    plain("user_class"),
  ],
};

export const FIRST: Readonly<Record<Family, Readonly<Record<string, string>>>> = {
  "4": { message: "discover" },
  "6": { message: "solicit", asks_for: "na" },
};
