// A field of a form: its label, what is typed, what it means, and what is wrong with it.
import { FieldError, Input, Label, Text, TextArea, TextField } from "react-aria-components";

export type EntryProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  name?: string;
  hint?: string | undefined;
  error?: string | undefined;
  type?: "text" | "password" | "search" | "number";
  rows?: number;
  required?: boolean;
  autoFocus?: boolean;
  autoComplete?: string;
  readOnly?: boolean;
  placeholder?: string;
};

export function Entry({ label, hint, error, rows, required, readOnly, placeholder, ...rest }: EntryProps) {
  return (
    <TextField
      className="entry"
      isInvalid={Boolean(error)}
      isRequired={required ?? false}
      isReadOnly={readOnly ?? false}
      validationBehavior="aria"
      {...rest}
    >
      <Label>{label}</Label>
      {rows ? <TextArea rows={rows} placeholder={placeholder} /> : <Input placeholder={placeholder} />}
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError>{error}</FieldError>
    </TextField>
  );
}
