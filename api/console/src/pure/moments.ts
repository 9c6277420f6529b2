// Moments as people read them: in the zone that they chose, and in the others beside it.

export type Zone = string; // "local", "UTC" or a name of the IANA database

const formats = new Map<Zone, Intl.DateTimeFormat>();

// "2026-11-22 14:03:07" in the zone.
export function inZone(at: string | number, zone: Zone): string {
  return format(zone).format(new Date(at)).replace(",", "");
}

export function zoneName(zone: Zone): string {
  return zone === "local" ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone;
}

// The zones beside the chosen one, each with what it says.
export function elsewhere(at: string | number, chosen: Zone): { zone: string; says: string }[] {
  const zones = new Set(["UTC", zoneName("local"), zoneName(chosen)]);
  zones.delete(zoneName(chosen));
  return [...zones].map((zone) => ({ zone, says: inZone(at, zone) }));
}

function format(zone: Zone): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  // Sweden writes dates as ISO 8601 does.
  const made = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "medium",
    ...(zone === "local" ? {} : { timeZone: zone }),
  });
  formats.set(zone, made);
  return made;
}
