// The fields of a form, as a screen declares them.
import { Checkbox } from "react-aria-components";
import type { FieldKind, Typed } from "../../pure/fields.ts";
import type { ErrorAt } from "../form/ActionForm.tsx";
import { Choice } from "../form/Choice.tsx";
import { Entry } from "../form/Entry.tsx";
import type { Labels } from "../form/Versions.tsx";

export type Field = FieldKind & {
  readonly label: string;
  readonly hint?: string;
  readonly options?: readonly { readonly id: string; readonly title: string }[]; // of a choice
  readonly required?: boolean;
};

type Props = {
  fields: readonly Field[];
  typed: Typed;
  onChange: (typed: Typed) => void;
  errorAt: ErrorAt;
};

export function Fields({ fields, typed, onChange, errorAt }: Props) {
  return fields.map((field) => (
    <One
      key={field.name}
      field={field}
      value={typed[field.name] ?? ""}
      onChange={(value) => onChange({ ...typed, [field.name]: value })}
      error={errorAt(field.name)}
    />
  ));
}

// What people call the fields, by their names in the API.
export function labelsOf(fields: readonly Field[]): Labels {
  return Object.fromEntries(fields.map(({ name, label }) => [name, label]));
}

type OneProps = {
  field: Field;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
};

function One({ field, value, onChange, error }: OneProps) {
  const { label, hint, kind, options = [], required = false } = field;
  const told = hint === undefined ? {} : { hint };
  if (kind === "check") {
    return (
      <Checkbox
        className="check"
        isSelected={value === "true"}
        onChange={(chosen) => onChange(String(chosen))}
      >
        {label}
      </Checkbox>
    );
  }
  const shared = { label, value, onChange, error, ...told };
  if (kind === "choice") return <Choice options={options} {...shared} />;
  return (
    <Entry
      {...shared}
      required={required}
      autoComplete="off"
      type={kind === "secret" ? "password" : "text"}
      {...(kind === "area" || kind === "json" ? { rows: kind === "json" ? 8 : 4 } : {})}
    />
  );
}
