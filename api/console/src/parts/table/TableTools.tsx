// What stands above a table: how many rows, which columns, views that are kept, all of the list as CSV.
import { type ReactNode, useState } from "react";
import { Button, Checkbox, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { type Call, urlOf } from "../../api/calls.ts";
import { transport } from "../../api/transport.ts";
import { text } from "../../text/frame.ts";
import { Changes } from "../live/Changes.tsx";
import type { Watch } from "../live/useChanges.ts";
import { save } from "../save.ts";
import type { Column } from "./columns.ts";
import { useColumns } from "./useColumns.ts";
import type { Rows } from "./useRows.ts";
import { Views } from "./Views.tsx";

type Props<R> = {
  name: string;
  columns: readonly Column<R>[];
  rows: Rows<R>;
  list: Call;
  watch?: Watch | undefined; // events that tell of rows
  children?: ReactNode; // what can be done with what is selected
};

export function TableTools<R>({ name, columns, rows, list, watch, children }: Props<R>) {
  const { shown, chosen, choose } = useColumns(name, columns);
  return (
    <div className="table-tools">
      <span role="status">
        {text.table.rows(rows.rows.length, rows.more)}
        {rows.problem && <span className="bad"> {rows.problem.message}</span>}
      </span>
      {watch && <Changes watch={watch} readAt={rows.readAt} onShow={rows.reload} />}
      {children}
      <ColumnChooser columns={columns} shown={shown} onChoose={choose} />
      <Views table={name} columns={chosen} />
      <CsvButton name={name} list={list} />
    </div>
  );
}

type ChooserProps<R> = {
  columns: readonly Column<R>[];
  shown: readonly Column<R>[];
  onChoose: (ids: readonly string[]) => void;
};

function ColumnChooser<R>({ columns, shown, onChoose }: ChooserProps<R>) {
  const ids = new Set(shown.map(({ id }) => id));
  function choose(id: string, wanted: boolean) {
    onChoose(columns.map((column) => column.id).filter((each) => (each === id ? wanted : ids.has(each))));
  }
  return (
    <DialogTrigger>
      <Button className="small">{text.table.columns}</Button>
      <Popover>
        <Dialog aria-label={text.table.columns} className="stack">
          {columns.map(({ id, title }) => (
            <Checkbox
              key={id}
              className="check"
              isSelected={ids.has(id)}
              onChange={(wanted) => choose(id, wanted)}
            >
              {title}
            </Checkbox>
          ))}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function CsvButton({ name, list }: { name: string; list: Call }) {
  const [busy, setBusy] = useState(false);
  async function load() {
    setBusy(true);
    try {
      const request = new Request(urlOf(list), { headers: { accept: "text/csv" } });
      save(`${name}.csv`, await (await transport(request)).blob());
    } finally {
      setBusy(false);
    }
  }
  return (
    <Button className="small" isDisabled={busy} onPress={() => void load()}>
      {text.table.csv}
    </Button>
  );
}
