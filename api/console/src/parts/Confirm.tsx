// An action without fields: what it means, its call, and a button.
import type { Call } from "../api/calls.ts";
import { ActionForm } from "./form/ActionForm.tsx";

type Props<A> = {
  title: string;
  explain: string;
  call: Call<A>;
  action: string;
  danger?: boolean;
  onDone: (answer: A) => void;
  onCancel: () => void;
};

export function Confirm<A>({ title, explain, ...form }: Props<A>) {
  return (
    <ActionForm {...form}>
      {() => (
        <>
          <h3>{title}</h3>
          <p>{explain}</p>
        </>
      )}
    </ActionForm>
  );
}
