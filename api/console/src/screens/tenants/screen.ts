import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "tenants",
  title: text.title,
  nav: { group: "system", order: 50 },
  routes: [{ path: "/tenants", load: () => import("./Tenants.tsx") }],
  opens: { tenant: (hit) => `/tenants?tenant=${encodeURIComponent(hit.id)}` },
};
