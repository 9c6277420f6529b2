import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "classes",
  title: text.title,
  nav: { group: "addresses", order: 60 },
  routes: [{ path: "/classes", load: () => import("./Classes.tsx") }],
  actions: [{ title: text.make, to: "/classes?open=new", may: "write" }],
};
