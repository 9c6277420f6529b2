// What is kept: in this tab until it closes, or on this device until it is forgotten. The only door to the browser's
// storage, so that one place shows all that is kept.

export type Kept = "tab" | "device";
type Name = "token" | "preferences" | "tenant" | "views" | `columns.${string}`;

// biome-ignore lint/style/noRestrictedGlobals: the door itself
const places: Record<Kept, Storage> = { tab: sessionStorage, device: localStorage };

export function read(name: Name, kept: Kept): string | null {
  return places[kept].getItem(`ipam.${name}`);
}

export function keep(name: Name, kept: Kept, value: string): void {
  places[kept].setItem(`ipam.${name}`, value);
}

export function forget(name: Name): void {
  for (const place of Object.values(places)) place.removeItem(`ipam.${name}`);
}
