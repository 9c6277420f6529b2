// What is kept: in this tab until it closes, or on this device until it is forgotten. The only door to the browser's
// storage, so that one place shows all that is kept.

export type Kept = "tab" | "device";
export type Name = "token" | "preferences" | "tenant" | "views" | `columns.${string}`;
export type Item = { readonly name: Name; readonly kept: Kept; readonly value: string };

const MARK = "ipam.";

// biome-ignore lint/style/noRestrictedGlobals: the door itself
const places: Record<Kept, Storage> = { tab: sessionStorage, device: localStorage };

export function read(name: Name, kept: Kept): string | null {
  return places[kept].getItem(MARK + name);
}

export function keep(name: Name, kept: Kept, value: string): void {
  places[kept].setItem(MARK + name, value);
}

export function forget(name: Name): void {
  for (const place of Object.values(places)) place.removeItem(MARK + name);
}

// All that is kept, by name.
export function all(): Item[] {
  const found = (Object.keys(places) as Kept[]).flatMap((kept) =>
    Object.entries(places[kept])
      .filter(([key]) => key.startsWith(MARK))
      .map(([key, value]) => ({ name: key.slice(MARK.length) as Name, kept, value: String(value) })),
  );
  return found.toSorted((a, b) => a.name.localeCompare(b.name));
}
