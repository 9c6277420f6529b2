// The acts of the drawer of an object that people keep: it is changed, and deleted.
import type { Body } from "../../pure/fields.ts";
import type { Act } from "../Acts.tsx";
import { Deletion } from "../deletion/Deletion.tsx";
import { EditForm } from "../fields/EditForm.tsx";
import type { Family, Identified } from "./family.ts";

export type Kept<R> = Required<Pick<Family<R>, "titleOf" | "read" | "update" | "remove" | "fields">>;

export function changeOf<R extends Identified>(
  { read, update, fields }: Omit<Kept<R>, "titleOf" | "remove">,
  object: R,
  etag: string | null,
  title: string,
): Act {
  return {
    id: "edit",
    title,
    may: "write",
    form: (close) => (
      <EditForm
        fields={fields}
        object={object as Body}
        etag={etag}
        callOf={(body, condition) => update(object.id, body, condition)}
        read={read(object.id)}
        action={title}
        onDone={close}
        onCancel={close}
      />
    ),
  };
}

export function deletionOf<R extends Identified>(
  { titleOf, remove }: Pick<Kept<R>, "titleOf" | "remove">,
  object: R,
  title: string,
  onGone: () => void,
): Act {
  return {
    id: "remove",
    title,
    may: "write",
    form: (close) => (
      <Deletion what={titleOf(object)} call={remove(object.id)} onDone={onGone} onCancel={close} />
    ),
  };
}
