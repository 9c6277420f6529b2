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
import { Versions } from "./Versions.tsx";

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
  // Of an edit: what reads the object as it is now, for a 412, and what takes it over with its entity tag.
  read?: Call<unknown>;
  onTheirs?: (theirs: unknown, etag: string) => void;
};

export function ActionForm<A>(props: Props<A>) {
  const { call, onDone, children, read } = props;
  const queries = useQueryClient();
  const [key] = useState(newKey);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const sent =
    call.method === "post" ? { ...call, headers: { ...call.headers, "Idempotency-Key": key } } : call;

  async function act(wanted: Call<A>) {
    setBusy(true);
    try {
      const { data } = await send(wanted);
      setProblem(undefined);
      await queries.invalidateQueries();
      onDone(data);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  const errorAt: ErrorAt = (field) => (problem?.field?.name === field ? problem.field.reason : undefined);
  return (
    <form
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
