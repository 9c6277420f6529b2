import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "netbox",
  title: text.title,
  nav: { group: "system", order: 70 },
  may: "write",
  routes: [{ path: "/netbox", load: () => import("./NetBox.tsx") }],
};
