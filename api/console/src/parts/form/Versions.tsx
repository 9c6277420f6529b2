// After a 412: what somebody wanted to write beside what stands there now.
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import type { Call } from "../../api/calls.ts";
import { text } from "../../text/frame.ts";

type Fields = Record<string, unknown>;
export type Labels = Readonly<Record<string, string>>; // of fields, by their names in the API
type Props = {
  mine: Fields;
  labels: Labels;
  read: Call<unknown>;
  onMine: (etag: string) => void;
  onTheirs: ((theirs: unknown, etag: string) => void) | undefined;
};

export function Versions({ mine, labels, read, onMine, onTheirs }: Props) {
  const { data } = useAsk(read, { staleTime: 0, gcTime: 0 });
  if (!data?.etag) return null;
  const theirs = data.data as Fields;
  const etag = data.etag;
  return (
    <section className="notice" aria-label={text.form.changedMeanwhile}>
      <h3>{text.form.changedMeanwhile}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">{text.form.field}</th>
            <th scope="col">{text.form.yours}</th>
            <th scope="col">{text.form.theirs}</th>
          </tr>
        </thead>
        <tbody>
          {Object.keys(mine).map((name) => (
            <tr key={name}>
              <th scope="row">{labels[name] ?? name}</th>
              <td>{shown(mine[name])}</td>
              <td>{shown(theirs[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="row">
        <Button onPress={() => onMine(etag)}>{text.form.sendMine}</Button>
        {onTheirs && <Button onPress={() => onTheirs(theirs, etag)}>{text.form.takeTheirs}</Button>}
      </div>
    </section>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return text.form.unset;
  return typeof value === "string" ? value : JSON.stringify(value);
}
