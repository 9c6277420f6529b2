// A file from somebody's disk, read as text here; it is sent nowhere.
import { useId } from "react";
import { MOST_OCTETS, textOf } from "../../pure/textFile.ts";

export type Chosen = { readonly name: string; readonly text: string | null }; // null: it is no text, or too large

type Props = {
  label: string;
  hint?: string;
  accept: string; // of the browser's own chooser: ".json,.csv"
  error?: string | undefined;
  onChoose: (chosen: Chosen) => void;
};

export function FileEntry({ label, hint, accept, error, onChoose }: Props) {
  const id = useId();
  const told = error ?? hint;
  async function take(file: File | undefined) {
    if (file === undefined) return;
    const text = file.size > MOST_OCTETS ? null : textOf(new Uint8Array(await file.arrayBuffer()));
    onChoose({ name: file.name, text });
  }
  return (
    <div className="entry">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={(event) => void take(event.target.files?.[0])}
        aria-invalid={error ? true : undefined}
        aria-describedby={told ? `${id}-told` : undefined}
      />
      {told && (
        <span
          id={`${id}-told`}
          className={error ? "react-aria-FieldError" : "quiet"}
          role={error ? "alert" : undefined}
        >
          {told}
        </span>
      )}
    </div>
  );
}
