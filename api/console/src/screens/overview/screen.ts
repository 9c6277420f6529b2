import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "overview",
  title: text.title,
  nav: { group: "addresses", order: 0 },
  routes: [{ path: "/overview", load: () => import("./Overview.tsx") }],
};
