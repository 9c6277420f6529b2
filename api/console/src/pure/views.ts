// Views of lists that somebody keeps under a name: each is the address at which the list stands as it was, with its
// filters, order and columns.
export type View = {
  readonly id: string;
  readonly name: string;
  readonly table: string; // of which list on its screen
  readonly to: string; // path and query within the console
};

// The columns that an address has for a table, "leases:ip,mac", or null; other tables are not meant.
export function columnsIn(word: string | undefined, table: string): readonly string[] | null {
  const [of, ids] = (word ?? "").split(":");
  return of === table && ids ? ids.split(",") : null;
}

export function columnsWord(table: string, ids: readonly string[]): string {
  return `${table}:${ids.join(",")}`;
}

// The address of a list as it stands: `columns` are those that somebody chose, null where nobody did.
export function addressOf(
  path: string,
  words: Readonly<Record<string, string | undefined>>,
  table: string,
  columns: readonly string[] | null,
): string {
  const { columns: _, ...others } = words;
  const told = Object.entries(others).filter((word): word is [string, string] => Boolean(word[1]));
  const chosen: [string, string][] = columns === null ? [] : [["columns", columnsWord(table, columns)]];
  const query = new URLSearchParams([...told, ...chosen]).toString();
  return query ? `${path}?${query}` : path;
}

export function isAt(view: View, path: string, table: string): boolean {
  return view.table === table && view.to.split("?")[0] === path;
}

// A name stands once at a list: the new view takes the place of the one that had it.
export function withView(views: readonly View[], made: View): View[] {
  const [path = ""] = made.to.split("?");
  return [...views.filter((view) => !(isAt(view, path, made.table) && view.name === made.name)), made];
}

// What was kept, without what is no view.
export function viewsOf(kept: string | null): View[] {
  try {
    const found: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(found: unknown): found is View {
  if (typeof found !== "object" || found === null) return false;
  const { id, name, table, to } = found as Record<string, unknown>;
  return [id, name, table, to].every((each) => typeof each === "string") && String(to).startsWith("/");
}
