import type { ReactNode } from "react";
import { createStore, type Store } from "../../pure/store.ts";
import { forget, keep, read } from "../../store/stored.ts";

export type Column<Row> = {
  readonly id: string; // the field's name, as the API calls it
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly width?: string; // of CSS grid; "minmax(8rem, 1fr)" unless said
  readonly optional?: boolean; // not shown until it is chosen
  readonly always?: boolean; // shown whatever is chosen
};

// A row that is changed in its place: what stands in a cell instead, null where it stays as it is.
export type Editor<R> = {
  readonly id: string;
  readonly cell: (column: Column<R>) => ReactNode;
};

const stores = new Map<string, Store<readonly string[] | null>>();

// The ids of the columns that somebody chose for a table on this device; null: nobody did.
export function chosenColumns(table: string): Store<readonly string[] | null> {
  const known = stores.get(table);
  if (known) return known;
  const kept = read(`columns.${table}`, "device");
  const made = createStore<readonly string[] | null>(kept === null ? null : kept.split(","));
  stores.set(table, made);
  return made;
}

export function chooseColumns(table: string, ids: readonly string[]): void {
  keep(`columns.${table}`, "device", ids.join(","));
  chosenColumns(table).set(ids);
}

export function forgetColumns(table: string): void {
  forget(`columns.${table}`);
  chosenColumns(table).set(null);
}

export function shownColumns<Row>(columns: readonly Column<Row>[], chosen: readonly string[] | null) {
  return columns.filter(
    ({ id, optional, always }) => always || (chosen === null ? !optional : chosen.includes(id)),
  );
}
