import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Field } from "../fields/Fields.tsx";

type Props = {
  field: Field;
  form: string; // the id of the form that it belongs to: Enter sends that
  value: string;
  wrong: boolean;
  first: boolean;
  onChange: (value: string) => void;
  onKey: (event: KeyboardEvent) => void;
};

// A field in a cell of a row that is changed in its place.
export function RowField({ field, form, value, wrong, first, onChange, onKey }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (first) input.current?.select();
  }, [first]);
  return (
    <input
      ref={input}
      className="table-field"
      form={form}
      aria-label={field.label}
      aria-invalid={wrong || undefined}
      aria-describedby={wrong ? `${form}-wrong` : undefined}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKey}
    />
  );
}
