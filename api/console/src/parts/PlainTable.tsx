// A short table that is whole in the document; long ones are table/DataTable.tsx.
import type { ReactNode } from "react";
import { text } from "../text/frame.ts";

export type PlainColumn<R> = { readonly title: string; readonly cell: (row: R) => ReactNode };
type Props<R> = {
  label: string;
  columns: readonly PlainColumn<R>[];
  rows: readonly R[];
  idOf: (row: R) => string;
  empty?: string;
};

export function PlainTable<R>({ label, columns, rows, idOf, empty }: Props<R>) {
  if (rows.length === 0) return <p className="quiet">{empty ?? text.table.empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by keyboard
    <section className="plain" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {columns.map(({ title, cell }) => (
                <td key={title}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
