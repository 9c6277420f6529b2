// One of several: the browser's own select, which every keyboard, screen reader and telephone knows.
import { useId } from "react";

type Option = { readonly id: string; readonly title: string };
type Props = {
  label: string;
  options: readonly Option[];
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  error?: string | undefined;
  name?: string;
};

export function Choice({ label, options, value, onChange, hint, error, name }: Props) {
  const id = useId();
  const told = error ?? hint;
  return (
    <div className="entry">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={told ? `${id}-told` : undefined}
      >
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.title}
          </option>
        ))}
      </select>
      {told && (
        <span id={`${id}-told`} className={error ? "react-aria-FieldError" : "quiet"}>
          {told}
        </span>
      )}
    </div>
  );
}
