// A list of the API as a table with its tools: what most screens are.
import type { ReactNode } from "react";
import type { Call } from "../../api/calls.ts";
import type { Watch } from "../live/useChanges.ts";
import type { Column } from "./columns.ts";
import { DataTable } from "./DataTable.tsx";
import { TableTools } from "./TableTools.tsx";
import { useRows } from "./useRows.ts";

export type ListingProps<R> = {
  name: string; // its columns are kept under this
  label: string;
  columns: readonly Column<R>[];
  list: Call<{ items: R[]; next_cursor: string | null }>;
  onOpen?: (row: R) => void;
  refetchInterval?: number;
  watch?: Watch;
  empty?: string;
  children?: ReactNode; // buttons above it
};

export function Listing<R extends { id: string }>(props: ListingProps<R>) {
  const { name, label, columns, list, onOpen, children } = props;
  const rows = useRows<R>(list, props.refetchInterval);
  return (
    <>
      <TableTools name={name} columns={columns} rows={rows} list={list} watch={props.watch}>
        {children}
      </TableTools>
      <DataTable
        name={name}
        label={label}
        columns={columns}
        rows={rows}
        idOf={(row) => row.id}
        {...(onOpen ? { onOpen } : {})}
        {...(props.empty ? { empty: props.empty } : {})}
      />
    </>
  );
}
