import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "notifications",
  title: text.title,
  nav: { group: "system", order: 31 },
  routes: [{ path: "/notifications", load: () => import("./Notifications.tsx") }],
};
