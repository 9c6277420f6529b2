import type { Screen } from "../screen.ts";
import { text } from "./text.ts";

export const screen: Screen = {
  name: "tokens",
  title: text.title,
  nav: { group: "system", order: 40 },
  may: "administer",
  routes: [{ path: "/tokens", load: () => import("./Tokens.tsx") }],
};
