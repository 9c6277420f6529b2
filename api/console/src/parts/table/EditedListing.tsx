// A list whose rows are changed in their place, by a button or F2: a row becomes fields, Enter sends what was changed and
// Escape leaves it. The call stands above the table before it is sent; what is wrong with it stands there too.
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { Button } from "react-aria-components";
import type { Call } from "../../api/calls.ts";
import type { Typed } from "../../pure/fields.ts";
import { text } from "../../text/frame.ts";
import { labelsOf } from "../fields/Fields.tsx";
import { ActionForm } from "../form/ActionForm.tsx";
import { useMay } from "../useSession.ts";
import type { Column, Editor } from "./columns.ts";
import { DataTable } from "./DataTable.tsx";
import type { ListingProps } from "./Listing.tsx";
import { RowField } from "./RowField.tsx";
import { TableTools } from "./TableTools.tsx";
import { type RowEdit, useRowEdit } from "./useRowEdit.ts";
import { useRows } from "./useRows.ts";

type Props<R> = ListingProps<R> & { edit: RowEdit<R> };

export function EditedListing<R extends { id: string }>({ edit, ...listing }: Props<R>) {
  const { name, label, columns, list, onOpen, children } = listing;
  const rows = useRows<R>(list, listing.refetchInterval);
  const row = useRowEdit(edit);
  const form = useId();
  const [wrong, setWrong] = useState<string>();
  const mayWrite = useMay("write");
  const isBusy = row.edited !== undefined;
  const { begin } = row;
  const leave = () => {
    setWrong(undefined);
    row.leave();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `begin` is another one at each render and does the same
  const all = useMemo(
    () => (mayWrite ? [...columns, buttons(edit, begin, isBusy)] : columns),
    [columns, mayWrite, edit, isBusy],
  );
  return (
    <>
      <TableTools name={name} columns={columns} rows={rows} list={list}>
        {children}
      </TableTools>
      {row.problem && <p className="notice bad">{row.problem.message}</p>}
      {row.edited && (
        <section className="notice stack" aria-label={text.table.changeOf(row.edited.title)}>
          <ActionForm
            key={row.edited.id}
            id={form}
            call={edit.update(row.edited.id, row.changes, condition(row.edited.etag))}
            action={text.table.save}
            disabled={Object.keys(row.changes).length === 0}
            labels={labelsOf(edit.fields)}
            read={edit.read(row.edited.id) as Call<unknown>}
            onTheirs={row.takeTheirs}
            onRefused={(problem) => setWrong(problem?.field?.name)}
            onDone={leave}
            onCancel={leave}
          >
            {(errorAt) => (
              <>
                <p>{text.table.editing}</p>
                <p id={`${form}-wrong`} className="react-aria-FieldError">
                  {wrong && errorAt(wrong)}
                </p>
              </>
            )}
          </ActionForm>
        </section>
      )}
      <DataTable
        name={name}
        label={label}
        columns={all}
        rows={rows}
        idOf={(each) => each.id}
        {...(onOpen ? { onOpen } : {})}
        {...(listing.empty ? { empty: listing.empty } : {})}
        {...(mayWrite ? { onEdit: begin } : {})}
        editor={row.edited && editorOf(edit, row, form, wrong, leave)}
      />
    </>
  );
}

function condition(etag: string | null): { "If-Match"?: string } {
  return etag === null ? {} : { "If-Match": etag };
}

// The last column: what F2 does, for the pointer.
function buttons<R>(edit: RowEdit<R>, begin: (row: R) => void, isBusy: boolean): Column<R> {
  return {
    id: "change",
    title: text.table.change,
    width: "6.5rem",
    always: true,
    cell: (row) =>
      edit.may(row) && (
        <Button
          className="small"
          excludeFromTabOrder
          aria-label={text.table.changeOne(edit.titleOf(row))}
          isDisabled={isBusy}
          onPress={() => begin(row)}
        >
          {text.table.change}
        </Button>
      ),
  };
}

function editorOf<R extends { id: string }>(
  edit: RowEdit<R>,
  row: ReturnType<typeof useRowEdit<R>>,
  form: string,
  wrong: string | undefined,
  leave: () => void,
): Editor<R> {
  const typed: Typed = row.edited?.typed ?? {};
  const isChanged = Object.keys(row.changes).length > 0;
  function onKey(event: KeyboardEvent) {
    if (event.key !== "Escape" && (event.key !== "Enter" || isChanged)) return;
    event.preventDefault();
    leave();
  }
  return {
    id: row.edited?.id ?? "",
    cell: (column) => {
      const field = edit.fields.find(({ name }) => name === column.id);
      if (field === undefined) return null;
      return (
        <RowField
          field={field}
          form={form}
          value={typed[field.name] ?? ""}
          wrong={wrong === field.name}
          first={field === edit.fields[0]}
          onChange={(value) => row.type(field.name, value)}
          onKey={onKey}
        />
      );
    },
  };
}
