// Which rows of a long table are in the document: those in sight and some around them.

export type Window = { readonly first: number; readonly end: number }; // end is not in it

export function windowOf(top: number, height: number, row: number, count: number, around = 12): Window {
  const first = Math.max(0, Math.floor(top / row) - around);
  const end = Math.min(count, Math.ceil((top + height) / row) + around);
  return { first: Math.min(first, Math.max(0, end - 1)), end };
}

// Where to scroll so that a row is in sight, or null where it is already. `head` covers the top.
export function scrollFor(
  index: number,
  top: number,
  height: number,
  row: number,
  head: number,
): number | null {
  if (index * row < top) return index * row;
  if ((index + 1) * row + head > top + height) return (index + 1) * row + head - height;
  return null;
}

// The row that a key leads to, or null for a key that moves nothing.
export function moved(key: string, active: number, count: number, page: number): number | null {
  const to: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  };
  const wanted = to[key];
  return wanted === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, wanted));
}
