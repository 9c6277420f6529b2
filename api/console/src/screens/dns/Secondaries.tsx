// How far each secondary of a zone has come, and what was last refused.
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { Facts } from "../../parts/Facts.tsx";
import { text } from "./text.ts";

type DnsSecondary = components["schemas"]["DnsSecondary"];

export function Secondaries({ zone }: { zone: string }) {
  const { data } = useAsk(
    call("get", "/api/v1/dns-zones/{id}/secondaries", { params: { path: { id: zone } } }),
  );
  if (!data?.data.items.length) return null;
  return (
    <section>
      <h2>{text.secondaries.title}</h2>
      <Facts facts={data.data.items.map((each) => [each.name, told(each)])} />
    </section>
  );
}

function told({ state, serial, serials_behind, behind_since, last_refusal, last_refusal_at }: DnsSecondary) {
  const parts = [
    state === "behind"
      ? text.secondaries.behind(serials_behind ?? 0, behind_since ?? "")
      : text.secondaries.states[state],
    serial === null ? "" : text.secondaries.serial(serial),
    last_refusal && text.secondaries.refusal(last_refusal, last_refusal_at ?? ""),
  ];
  return parts.filter(Boolean).join("; ");
}
