// The row of a table that is changed in its place: what is typed, and what stood there when it was begun.
import { useState } from "react";
import { send } from "../../api/ask.ts";
import type { Call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import { type Body, changesOf, type Typed, typedOf } from "../../pure/fields.ts";
import type { Field } from "../fields/Fields.tsx";

export type RowEdit<R> = {
  readonly fields: readonly Field[]; // of one line each, and called as the column in which they stand
  readonly may: (row: R) => boolean;
  readonly titleOf: (row: R) => string;
  readonly read: (id: string) => Call<R>;
  readonly update: (id: string, body: Body, condition: { "If-Match"?: string }) => Call<unknown>;
};

type Edited = { id: string; title: string; typed: Typed; base: Typed; etag: string | null };

export function useRowEdit<R extends { id: string }>(edit: RowEdit<R>) {
  const [edited, setEdited] = useState<Edited>();
  const [problem, setProblem] = useState<Problem>();

  // It is read first, because lists tell no entity tags.
  async function begin(row: R) {
    if (edited !== undefined || !edit.may(row)) return;
    try {
      const { data, etag } = await send(edit.read(row.id));
      const typed = typedOf(edit.fields, data as Body);
      setEdited({ id: row.id, title: edit.titleOf(data), typed, base: typed, etag });
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  return {
    edited,
    problem,
    begin: (row: R) => void begin(row),
    changes: edited ? changesOf(edit.fields, edited.typed, edited.base) : {},
    type: (name: string, value: string) =>
      setEdited((now) => now && { ...now, typed: { ...now.typed, [name]: value } }),
    takeTheirs: (theirs: unknown, etag: string) => {
      const typed = typedOf(edit.fields, theirs as Body);
      setEdited((now) => now && { ...now, typed, base: typed, etag });
    },
    leave: () => setEdited(undefined),
  };
}
