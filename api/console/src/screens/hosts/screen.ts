import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "hosts",
  title: text.title,
  nav: { group: "addresses", order: 40 },
  routes: [{ path: "/hosts", load: () => import("./Host.tsx") }],
};
