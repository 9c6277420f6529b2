import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "settings",
  title: text.title,
  nav: { group: "system", order: 90 },
  routes: [{ path: "/settings", load: () => import("./Settings.tsx") }],
};
