// The latest events as a table shows them: the newest first, each once, no more than so many. While somebody reads or
// points at a row, what arrives waits, so that no row moves.

export type Happened = { readonly id: string; readonly timestamp: string };
export type Feed<E> = { readonly shown: readonly E[]; readonly waiting: readonly E[] };

export function emptyFeed<E>(): Feed<E> {
  return { shown: [], waiting: [] };
}

// `events` in the order in which they arrived.
export function arrive<E extends Happened>(
  feed: Feed<E>,
  events: readonly E[],
  held: boolean,
  most: number,
): Feed<E> {
  const known = new Set([...feed.shown, ...feed.waiting].map(({ id }) => id));
  const fresh = new Map(events.filter(({ id }) => !known.has(id)).map((event) => [event.id, event]));
  if (fresh.size === 0) return feed;
  const waiting = newest([...[...fresh.values()].reverse(), ...feed.waiting], most);
  return held ? { ...feed, waiting } : release({ ...feed, waiting }, most);
}

// What waited is shown.
export function release<E extends Happened>(feed: Feed<E>, most: number): Feed<E> {
  if (feed.waiting.length === 0) return feed;
  return { shown: newest([...feed.waiting, ...feed.shown], most), waiting: [] };
}

// Of one moment what came later stays before what came earlier.
function newest<E extends Happened>(events: readonly E[], most: number): readonly E[] {
  return events
    .toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
    .slice(0, most);
}
