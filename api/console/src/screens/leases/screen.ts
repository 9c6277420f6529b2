import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "leases",
  title: text.title,
  nav: { group: "addresses", order: 30 },
  routes: [
    { path: "/leases", load: () => import("./Leases.tsx") },
    { path: "/leases/live", load: () => import("./Live.tsx") },
  ],
  actions: [{ title: text.liveTitle, to: "/leases/live", may: "read" }],
  opens: { lease: (hit) => `/leases?lease=${encodeURIComponent(hit.id)}` },
};
