import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "time",
  title: text.title,
  nav: { group: "addresses", order: 60 },
  routes: [{ path: "/time", load: () => import("./Time.tsx") }],
};
