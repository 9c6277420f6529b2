import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "dns",
  title: text.title,
  nav: { group: "names", order: 10 },
  routes: [
    { path: "/dns", load: () => import("./Dns.tsx") },
    { path: "/dns/zones/$id", load: () => import("./Zone.tsx") },
  ],
  opens: { dns_zone: (hit) => `/dns/zones/${encodeURIComponent(hit.id)}` },
};
