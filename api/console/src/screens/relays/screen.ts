import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "relays",
  title: text.title,
  nav: { group: "system", order: 20 },
  routes: [{ path: "/relays", load: () => import("./Relays.tsx") }],
};
