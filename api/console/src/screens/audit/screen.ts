import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "audit",
  title: text.title,
  nav: { group: "system", order: 60 },
  may: "administer",
  routes: [{ path: "/audit", load: () => import("./Audit.tsx") }],
};
