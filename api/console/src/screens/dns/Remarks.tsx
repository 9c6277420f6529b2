// A list of remarks on records below its heading; nothing where there is none.
import { linesOf, type Remark } from "../../pure/remarks.ts";
import { text } from "./text.ts";

type Props = { title: (count: number) => string; remarks: readonly Remark[] };

export function Remarks({ title, remarks }: Props) {
  if (remarks.length === 0) return null;
  const { lines, more } = linesOf(remarks);
  return (
    <section>
      <h3>{title(remarks.length)}</h3>
      <ul>
        {lines.map(({ about, why }) => (
          <li key={`${about} ${why}`}>
            <strong>{about}:</strong> {why}
          </li>
        ))}
      </ul>
      {more > 0 && <p>{text.more(more)}</p>}
    </section>
  );
}
