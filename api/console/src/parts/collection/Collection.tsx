// A list of objects of a family: filtered, opened, made, changed and deleted, alone or many at once. What is open and
// what is looked for stand in the URL, as `open` and `q`.
import { useState } from "react";
import { Button } from "react-aria-components";
import { text } from "../../text/collection.ts";
import { Drawer } from "../Drawer.tsx";
import { CreateForm } from "../fields/CreateForm.tsx";
import { UrlEntry } from "../form/UrlEntry.tsx";
import { DataTable } from "../table/DataTable.tsx";
import { TableTools } from "../table/TableTools.tsx";
import { useRows } from "../table/useRows.ts";
import { useMay } from "../useSession.ts";
import { useUrl } from "../useUrl.ts";
import type { Family, Identified } from "./family.ts";
import { Many } from "./Many.tsx";
import { ObjectDrawer } from "./ObjectDrawer.tsx";

const NONE: ReadonlySet<string> = new Set();
const NEW = "new";

export function Collection<R extends Identified>({
  family,
  filter = true,
}: {
  family: Family<R>;
  filter?: boolean;
}) {
  const [words, change] = useUrl();
  const mayWrite = useMay("write");
  const list =
    filter && words.q ? { ...family.list, query: { ...family.list.query, q: words.q } } : family.list;
  const rows = useRows<R>(list);
  const [selected, setSelected] = useState(NONE);
  const chosen = rows.rows.filter((row) => selected.has(row.id));
  const close = () => change({ open: undefined });
  const makes = family.create !== undefined || family.form !== undefined;
  return (
    <div className="table">
      <search className="filters">
        <UrlEntry key={family.name} label={text.filter} />
      </search>
      <TableTools name={family.name} columns={family.columns} rows={rows} list={list}>
        {mayWrite && makes && (
          <Button className="small" onPress={() => change({ open: NEW })}>
            {text.make}
          </Button>
        )}
        {mayWrite && <Many family={family} rows={chosen} onDone={() => setSelected(NONE)} />}
      </TableTools>
      <DataTable
        name={family.name}
        label={family.title}
        columns={family.columns}
        rows={rows}
        idOf={(row) => row.id}
        onOpen={(row) => change({ open: row.id })}
        {...(mayWrite ? { selected, onSelect: setSelected } : {})}
      />
      {words.open === NEW && mayWrite && makes && (
        <Drawer title={`${text.make}: ${family.title}`} onClose={close}>
          <NewForm family={family} onDone={close} />
        </Drawer>
      )}
      {words.open && words.open !== NEW && (
        <ObjectDrawer key={words.open} family={family} id={words.open} onClose={close} />
      )}
    </div>
  );
}

function NewForm<R>({ family, onDone }: { family: Family<R>; onDone: () => void }) {
  if (family.form) return family.form(null, onDone);
  if (family.create === undefined) return null;
  return (
    <CreateForm
      fields={family.fields}
      callOf={family.create}
      action={text.create}
      onDone={onDone}
      onCancel={onDone}
    />
  );
}
