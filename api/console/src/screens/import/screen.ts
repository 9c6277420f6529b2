import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "import",
  title: text.title,
  nav: { group: "system", order: 65 },
  may: "write",
  routes: [{ path: "/import", load: () => import("./Import.tsx") }],
};
