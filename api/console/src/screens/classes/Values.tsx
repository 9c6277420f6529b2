import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Moment } from "../../parts/Moment.tsx";
import { text } from "./text.ts";

const SHOWN = 100;

// What clients brought to a template: each value is a class.
export function Values({ id }: { id: string }) {
  const params = { path: { id }, query: { limit: SHOWN } };
  const { data } = useAsk(call("get", "/api/v1/client-classes/{id}/values", { params }));
  if (!data) return null;
  if (data.data.items.length === 0) return <p>{`${text.values}: ${text.noValues}`}</p>;
  return (
    <table aria-label={text.values}>
      <thead>
        <tr>
          <th scope="col">{text.value}</th>
          <th scope="col">{text.class}</th>
          <th scope="col">{text.packets}</th>
          <th scope="col">{text.last}</th>
        </tr>
      </thead>
      <tbody>
        {data.data.items.map((each) => (
          <tr key={each.id}>
            <td>{each.value}</td>
            <td>{each.name}</td>
            <td>{each.packets}</td>
            <td>
              <Moment at={each.last_seen_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
