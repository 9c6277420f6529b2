// What is done with the objects that are selected, all or none of them.
import { useState } from "react";
import { Button } from "react-aria-components";
import { bodyOf, type Typed } from "../../pure/fields.ts";
import { text } from "../../text/collection.ts";
import { text as shared } from "../../text/frame.ts";
import { BulkForm, type Operation } from "../bulk/BulkForm.tsx";
import { Drawer } from "../Drawer.tsx";
import { Fields } from "../fields/Fields.tsx";
import type { Family, Identified } from "./family.ts";

type Props<R> = { family: Family<R>; rows: readonly R[]; onDone: () => void };

export function Many<R extends Identified>({ family, rows, onDone }: Props<R>) {
  const [act, setAct] = useState<"change" | "delete">();
  if (rows.length === 0) return null;
  const close = () => setAct(undefined);
  const done = () => {
    close();
    onDone();
  };
  const deletions = rows.map(({ id }): Operation => ({ op: "delete", path: `${family.path}/${id}` }));
  return (
    <>
      <span>{shared.table.selected(rows.length)}</span>
      {family.many && (
        <Button className="small" onPress={() => setAct("change")}>
          {text.change}
        </Button>
      )}
      <Button className="small" onPress={() => setAct("delete")}>
        {text.remove}
      </Button>
      {act === "delete" && (
        <Drawer title={text.deleteMany(rows.length)} onClose={close}>
          <BulkForm operations={deletions} action={text.remove} onDone={done} />
        </Drawer>
      )}
      {act === "change" && (
        <Drawer title={text.changeMany(rows.length)} onClose={close}>
          <ChangeMany family={family} rows={rows} onDone={done} />
        </Drawer>
      )}
    </>
  );
}

function ChangeMany<R extends Identified>({ family, rows, onDone }: Props<R>) {
  const [typed, setTyped] = useState<Typed>({});
  const fields = family.fields.filter(({ name }) => family.many?.includes(name));
  const body = bodyOf(fields, typed);
  const changes = rows.map(({ id }): Operation => ({ op: "update", path: `${family.path}/${id}`, body }));
  return (
    <div className="stack">
      <p>{text.leaveEmpty}</p>
      <Fields fields={fields} typed={typed} onChange={setTyped} errorAt={() => undefined} />
      <BulkForm key={JSON.stringify(body)} operations={changes} action={text.save} onDone={onDone} />
    </div>
  );
}
