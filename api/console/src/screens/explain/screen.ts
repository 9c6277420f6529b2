import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "explain",
  title: text.title,
  nav: { group: "addresses", order: 50 },
  routes: [{ path: "/explain", load: () => import("./ExplainPage.tsx") }],
};
