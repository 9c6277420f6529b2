import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "options",
  title: text.title,
  nav: { group: "addresses", order: 50 },
  routes: [{ path: "/options", load: () => import("./Options.tsx") }],
  actions: [{ title: text.newGlobal, to: "/options?open=new", may: "write" }],
};
