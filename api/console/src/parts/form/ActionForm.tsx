// A form that sends one call: the call is shown as it grows, errors stand at their field, a 412 shows both versions,
// and a repeated press makes nothing twice.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import { send } from "../../api/ask.ts";
import type { Call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import { newKey } from "../../pure/key.ts";
import { text } from "../../text/frame.ts";
import { CallPreview } from "../call/CallPreview.tsx";
import { type Labels, Versions } from "./Versions.tsx";

// The error at a field of the body, by the field's name in the API.
export type ErrorAt = (field: string) => string | undefined;

type Props<A> = {
  call: Call<A>;
  action: string; // what its button says
  onDone: (answer: A) => void;
  onCancel?: (() => void) | undefined;
  children: (errorAt: ErrorAt) => ReactNode;
  danger?: boolean;
  disabled?: boolean;
  id?: string; // for fields that stand elsewhere in the document
  onRefused?: (problem: Problem | undefined) => void; // likewise; undefined: it is sent again
  // Of an edit: what reads the object as it is now, for a 412, and what takes it over with its entity tag.
  read?: Call<unknown>;
  labels?: Labels; // of the fields that both versions show
  onTheirs?: (theirs: unknown, etag: string) => void;
};

export function ActionForm<A>(props: Props<A>) {
  const { call, onDone, children, read } = props;
  const queries = useQueryClient();
  const [key, setKey] = useState(newKey);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const sent =
    call.method === "post" ? { ...call, headers: { ...call.headers, "Idempotency-Key": key } } : call;

  async function act(wanted: Call<A>) {
    setBusy(true);
    props.onRefused?.(undefined);
    try {
      const { data } = await send(wanted);
      setProblem(undefined);
      setKey(newKey()); // the next press is another act
      await queries.invalidateQueries({ predicate: ({ queryKey }) => !isGone(wanted, queryKey) });
      onDone(data);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      props.onRefused?.(error);
      if (error.isFinal) setKey(newKey()); // the API keeps a refusal under its key, and what is mended is another try
    } finally {
      setBusy(false);
    }
  }

  const errorAt: ErrorAt = (field) => saidAt(field, problem?.field);
  return (
    <form
      id={props.id}
      className="stack"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void act(sent);
      }}
    >
      {children(errorAt)}
      {problem && (
        <p role="alert" className="notice bad">
          {problem.message}
        </p>
      )}
      {problem?.status === 412 && read && (
        <Versions
          mine={call.body as Record<string, unknown>}
          labels={props.labels ?? {}}
          read={read}
          onMine={(etag) => void act({ ...sent, headers: { ...sent.headers, "If-Match": etag } })}
          onTheirs={props.onTheirs}
        />
      )}
      <CallPreview call={sent} />
      <div className="row">
        <Button
          type="submit"
          className={props.danger ? "danger" : "primary"}
          isDisabled={busy || (props.disabled ?? false)}
        >
          {props.action}
        </Button>
        {props.onCancel && <Button onPress={props.onCancel}>{text.cancel}</Button>}
      </div>
    </form>
  );
}

// What is wrong deeper in a field, such as match.all[0], stands at the field with its place.
function saidAt(field: string, refused: Problem["field"]): string | undefined {
  if (refused === undefined || refused.name === field) return refused?.reason;
  const within = refused.name.startsWith(`${field}.`) || refused.name.startsWith(`${field}[`);
  return within ? `${refused.name}: ${refused.reason}` : undefined;
}

// What was deleted is not read again, nor what is read of it: its utilisation, its map, what stood in it.
function isGone({ method, path }: Call, [, asked]: readonly unknown[]): boolean {
  return method === "delete" && Object.values(path).some((id) => String(asked).includes(JSON.stringify(id)));
}
