// Every folder that has a screen.ts. No list to edit: a new screen is a new folder.
import type { Hit, Screen } from "./screen.ts";

const found = import.meta.glob<{ screen: Screen }>("./*/screen.ts", { eager: true });
const GROUPS = ["addresses", "names", "system"] as const;

export const screens: readonly Screen[] = Object.values(found).map((module) => module.screen);

export const navigation = GROUPS.map((group) => ({
  group,
  screens: screens
    .filter((screen) => screen.nav?.group === group)
    .sort((a, b) => (a.nav?.order ?? 0) - (b.nav?.order ?? 0)),
}));

// Where a hit of the search is shown, if any screen shows its type.
export function placeOf(hit: Hit): string | undefined {
  for (const screen of screens) {
    const opens = screen.opens?.[hit.type];
    if (opens) return opens(hit);
  }
  return undefined;
}
