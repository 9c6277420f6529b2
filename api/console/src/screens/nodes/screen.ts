import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "nodes",
  title: text.title,
  nav: { group: "system", order: 10 },
  routes: [{ path: "/nodes", load: () => import("./Nodes.tsx") }],
};
