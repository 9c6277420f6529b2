// Rows that are here already, for a table that else loads its own.
import type { Rows } from "./useRows.ts";

export function localRows<R>(rows: readonly R[], loading = false): Rows<R> {
  return {
    rows,
    more: false,
    loading,
    problem: null,
    readAt: 0,
    loadMore: () => undefined,
    reload: () => undefined,
  };
}
