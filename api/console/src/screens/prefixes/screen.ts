import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "prefixes",
  title: text.title,
  nav: { group: "addresses", order: 10 },
  routes: [{ path: "/prefixes", load: () => import("./Prefixes.tsx") }],
  opens: { prefix: (hit) => `/prefixes?prefix=${encodeURIComponent(hit.id)}` },
  actions: [{ title: text.newPrefix, to: "/prefixes?prefix=new", may: "write" }],
};
