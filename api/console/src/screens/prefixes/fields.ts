import type { Field } from "../../parts/fields/Fields.tsx";
import { counted, countText, type Network, subnetLengths } from "../../pure/space.ts";
import { text } from "./text.ts";

const words = text.fields;

export const prefixFields: readonly Field[] = [
  { name: "cidr", label: words.cidr, hint: words.cidrHint, required: true },
  { name: "description", label: words.description },
  { name: "tags", label: words.tags, hint: words.tagsHint, kind: "list" },
];

const labels: readonly Field[] = [
  { name: "name", label: words.name },
  { name: "site", label: words.site },
  { name: "vlan_id", label: words.vlan, kind: "number" },
  { name: "description", label: words.description },
  { name: "tags", label: words.tags, hint: words.tagsHint, kind: "list" },
  { name: "dhcp_enabled", label: words.dhcp, kind: "check" },
];

export const subnetFields: readonly Field[] = [
  { name: "cidr", label: words.cidr, required: true },
  { name: "gateway", label: words.gateway },
  ...labels,
];

export function nextFields(network: Network): readonly Field[] {
  const options = subnetLengths(network).map((length) => {
    const { count, unit } = counted({ ...network, length });
    return { id: String(length), title: words.lengthOf(length, countText(count), text.units[unit]) };
  });
  return [
    { name: "prefix_length", label: words.length, kind: "choice", options },
    {
      name: "gateway_at",
      label: words.gatewayAt,
      kind: "choice",
      options: [
        { id: "", title: words.gatewayAts.none },
        { id: "first", title: words.gatewayAts.first },
        { id: "last", title: words.gatewayAts.last },
      ],
    },
    ...labels,
  ];
}

// What people mostly want: a /24, or one /64.
export function usualLength(network: Network): string {
  const lengths = subnetLengths(network);
  const usual = network.family === 4 ? 24 : 64;
  return String(lengths.includes(usual) ? usual : lengths.at(-1));
}

export function lengthAsNumber(body: Record<string, unknown>): Record<string, unknown> {
  return { ...body, prefix_length: Number(body.prefix_length) };
}
