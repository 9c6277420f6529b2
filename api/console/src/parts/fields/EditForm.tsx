// A form that changes an object: it sends what differs, on the condition that the object is as it was read.
import { useState } from "react";
import type { Call } from "../../api/calls.ts";
import { type Body, changesOf, typedOf } from "../../pure/fields.ts";
import { ActionForm } from "../form/ActionForm.tsx";
import { type Field, Fields, labelsOf } from "./Fields.tsx";

type Props = {
  fields: readonly Field[];
  object: Body;
  etag: string | null;
  callOf: (body: Body, condition: { "If-Match"?: string }) => Call<unknown>;
  read: Call<unknown>;
  action: string;
  onDone: () => void;
  onCancel?: () => void;
};

export function EditForm({ fields, object, etag, callOf, read, action, onDone, onCancel }: Props) {
  // What was read when the form was opened stays its base, although the list is read again meanwhile.
  const [base, setBase] = useState({ typed: typedOf(fields, object), etag });
  const [typed, setTyped] = useState(base.typed);
  const changes = changesOf(fields, typed, base.typed);
  function takeTheirs(theirs: unknown, tag: string) {
    const now = typedOf(fields, theirs as Body);
    setBase({ typed: now, etag: tag });
    setTyped(now);
  }
  return (
    <ActionForm
      call={callOf(changes, base.etag === null ? {} : { "If-Match": base.etag })}
      action={action}
      onDone={onDone}
      onCancel={onCancel}
      disabled={Object.keys(changes).length === 0}
      labels={labelsOf(fields)}
      read={read}
      onTheirs={takeTheirs}
    >
      {(errorAt) => <Fields fields={fields} typed={typed} onChange={setTyped} errorAt={errorAt} />}
    </ActionForm>
  );
}
