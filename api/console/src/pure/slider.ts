// A slider over a stretch of time that ends now: its positions are whole minutes since the beginning.
const MINUTE = 60_000;

export const STRETCHES = { day: 1440, week: 10_080, month: 43_200, year: 525_600 } as const; // minutes
export type Stretch = keyof typeof STRETCHES;

// The moment at a position, RFC 3339; `now` is in milliseconds since 1970.
export function momentAt(position: number, stretch: Stretch, now: number): string {
  return new Date(now - (STRETCHES[stretch] - position) * MINUTE).toISOString();
}

// Where a moment lies; what is before the stretch lies at its beginning, what is no moment at its end.
export function positionOf(at: string, stretch: Stretch, now: number): number {
  const when = Date.parse(at);
  if (Number.isNaN(when)) return STRETCHES[stretch];
  const position = STRETCHES[stretch] - Math.round((now - when) / MINUTE);
  return Math.min(STRETCHES[stretch], Math.max(0, position));
}
