// A form that makes an object of the fields that a screen declares.
import { useState } from "react";
import type { Call } from "../../api/calls.ts";
import { type Body, bodyOf, type Typed } from "../../pure/fields.ts";
import { ActionForm } from "../form/ActionForm.tsx";
import { type Field, Fields } from "./Fields.tsx";

type Props<A> = {
  fields: readonly Field[];
  start?: Typed; // what stands in the form at first
  more?: Body; // what the body has besides
  callOf: (body: Body) => Call<A>;
  action: string;
  onDone: (made: A) => void;
  onCancel?: () => void;
};

export function CreateForm<A>({ fields, start = {}, more = {}, callOf, action, onDone, onCancel }: Props<A>) {
  const [typed, setTyped] = useState(start);
  return (
    <ActionForm
      call={callOf({ ...more, ...bodyOf(fields, typed) })}
      action={action}
      onDone={onDone}
      onCancel={onCancel}
    >
      {(errorAt) => <Fields fields={fields} typed={typed} onChange={setTyped} errorAt={errorAt} />}
    </ActionForm>
  );
}
