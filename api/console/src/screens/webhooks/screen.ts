import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "webhooks",
  title: text.title,
  nav: { group: "system", order: 30 },
  routes: [{ path: "/webhooks", load: () => import("./Webhooks.tsx") }],
  opens: { webhook: (hit) => `/webhooks?webhook=${encodeURIComponent(hit.id)}` },
};
