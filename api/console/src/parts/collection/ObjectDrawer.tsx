// One object of a family: its fields, and what may be done with it.
import { useState } from "react";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import type { Body } from "../../pure/fields.ts";
import { text } from "../../text/collection.ts";
import { Drawer } from "../Drawer.tsx";
import { Deletion } from "../deletion/Deletion.tsx";
import { Facts } from "../Facts.tsx";
import { EditForm } from "../fields/EditForm.tsx";
import { useMay } from "../useSession.ts";
import type { Family, Identified } from "./family.ts";

type Props<R> = { family: Family<R>; id: string; onClose: () => void };

export function ObjectDrawer<R extends Identified>({ family, id, onClose }: Props<R>) {
  const read = family.read(id);
  const { data, error } = useAsk(read, { retry: false });
  const [act, setAct] = useState<"edit" | "delete">();
  const object = data?.data;
  const done = () => setAct(undefined);
  if (act === "delete" && object !== undefined) {
    return (
      <Deletion what={family.titleOf(object)} call={family.remove(id)} onDone={onClose} onCancel={done} />
    );
  }
  return (
    <Drawer title={object === undefined ? family.title : family.titleOf(object)} onClose={onClose}>
      {error && <p className="notice bad">{error.message}</p>}
      {object !== undefined && (
        <div className="stack">
          {act === "edit" ? (
            <Edit family={family} object={object} etag={data?.etag ?? null} onDone={done} />
          ) : (
            <>
              <Facts facts={family.columns.map(({ title, cell }) => [title, cell(object)] as const)} />
              <Acts onAct={setAct} />
              {family.more?.(object)}
            </>
          )}
        </div>
      )}
    </Drawer>
  );
}

type EditProps<R> = { family: Family<R>; object: R; etag: string | null; onDone: () => void };

function Edit<R extends Identified>({ family, object, etag, onDone }: EditProps<R>) {
  const { update } = family;
  if (family.form) return family.form({ object, etag }, onDone);
  if (update === undefined) return null;
  return (
    <EditForm
      fields={family.fields}
      object={object as Body}
      etag={etag}
      callOf={(body, condition) => update(object.id, body, condition)}
      read={family.read(object.id)}
      action={text.save}
      onDone={onDone}
      onCancel={onDone}
    />
  );
}

function Acts({ onAct }: { onAct: (act: "edit" | "delete") => void }) {
  if (!useMay("write")) return null;
  return (
    <div className="row">
      <Button onPress={() => onAct("edit")}>{text.edit}</Button>
      <Button onPress={() => onAct("delete")}>{text.remove}</Button>
    </div>
  );
}
