// A family of objects as a screen shows it: its list, the fields of its forms and its calls, as values.
import type { ReactNode } from "react";
import type { Call } from "../../api/calls.ts";
import type { Body } from "../../pure/fields.ts";
import type { Field } from "../fields/Fields.tsx";
import type { Column } from "../table/columns.ts";

export type Page<R> = { items: R[]; next_cursor: string | null };
export type Family<R> = {
  readonly name: string; // its columns are kept under this
  readonly title: string;
  readonly path: string; // of an object in POST /bulk, without its id: "/pools"
  readonly columns: readonly Column<R>[];
  readonly titleOf: (row: R) => string;
  readonly list: Call<Page<R>>;
  readonly read: (id: string) => Call<R>;
  readonly create?: (body: Body) => Call<unknown>;
  readonly update?: (id: string, body: Body, condition: { "If-Match"?: string }) => Call<unknown>;
  readonly remove: (id: string) => Call<unknown>;
  readonly fields: readonly Field[];
  // Where fields do not do: the form of a new object (null), or of one that is there.
  readonly form?: (stored: { object: R; etag: string | null } | null, onDone: () => void) => ReactNode;
  readonly many?: readonly string[]; // fields that may be set in many at once
  readonly more?: (row: R) => ReactNode; // what the drawer shows besides
};
export type Identified = { readonly id: string };
