import type { Hit, Screen } from "../screen.ts";
import { mapOf, subnetOf } from "./reads.ts";
import { text } from "./text.ts";

const inTab = (tab: string) => (hit: Hit) =>
  `/subnets/${hit.subnet_id}?tab=${tab}&open=${encodeURIComponent(hit.id)}`;

export const screen: Screen = {
  name: "subnets",
  title: text.tabs.reservations,
  nav: { group: "addresses", order: 40 },
  routes: [
    { path: "/reservations", load: () => import("./Reservations.tsx") },
    {
      path: "/subnets/$id",
      load: () => import("./Subnet.tsx"),
      reads: (id, { tab = "map" }) => (tab === "map" ? [subnetOf(id), mapOf(id)] : [subnetOf(id)]),
    },
  ],
  opens: {
    subnet: (hit) => `/subnets/${encodeURIComponent(hit.id)}`,
    pool: inTab("pools"),
    reservation: inTab("reservations"),
    assignment: inTab("assignments"),
  },
};
