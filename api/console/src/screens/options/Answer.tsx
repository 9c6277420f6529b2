import { useQueries } from "@tanstack/react-query";
import { send } from "../../api/ask.ts";
import { keyOf } from "../../api/calls.ts";
import { listOf, type Option, type Scope, scopeOf } from "../../parts/options/scope.ts";
import { payloadText } from "../../pure/optionValues.ts";
import { text } from "./text.ts";

// What both engines answer alike.
export type Explained = {
  readonly outcome: string;
  readonly reason: string;
  readonly subnet?: { readonly id: string } | null;
  readonly pool?: { readonly id: string } | null;
  readonly reservation?: { readonly id: string } | null;
  readonly classes?: readonly { readonly id: string; readonly matched: boolean }[];
  readonly options?: readonly Sent[];
};
type Sent = {
  readonly code: number;
  readonly text: string;
  readonly hex: string;
  readonly scope: {
    readonly type: keyof typeof text.scopeNames;
    readonly id?: string | null;
    readonly name?: string | null;
  };
};

export function Answer({ answer, family }: { answer: Explained; family: 4 | 6 }) {
  const stored = useStored(answer).filter((option) => option.family === family);
  return (
    <section className="stack">
      <p className="notice" role="status">
        {text.outcome(answer.outcome, answer.reason)}
      </p>
      <div className="options-effective">
        <table>
          <thead>
            <tr>
              {Object.values(text.columns).map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(answer.options ?? []).map((sent) => (
              <tr key={sent.code}>
                <th scope="row">{sent.code}</th>
                <td>{sent.text}</td>
                <td>{[text.scopeNames[sent.scope.type], sent.scope.name].filter(Boolean).join(" ")}</td>
                <td>{overridden(sent, stored)}</td>
                <td className="mono">{sent.hex}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// The options that are stored at the scopes that hold for this client, whether they are sent or not.
function useStored(answer: Explained): Option[] {
  const queries = scopesOf(answer).map((scope) => {
    const list = listOf(scope);
    return { queryKey: keyOf(list), queryFn: async () => (await send(list)).data.items };
  });
  return useQueries({ queries, combine: (answers) => answers.flatMap(({ data }) => data ?? []) });
}

function scopesOf({ subnet, pool, reservation, classes = [] }: Explained): Scope[] {
  return [
    { kind: "global" },
    ...(subnet ? [{ kind: "subnet" as const, id: subnet.id }] : []),
    ...(pool ? [{ kind: "pool" as const, id: pool.id }] : []),
    ...(reservation ? [{ kind: "reservation" as const, id: reservation.id }] : []),
    ...classes.filter(({ matched }) => matched).map(({ id }) => ({ kind: "class" as const, id })),
  ];
}

function overridden(sent: Sent, stored: readonly Option[]): string {
  const ids = (option: Option) =>
    option.reservation_id ?? option.class_id ?? option.pool_id ?? option.subnet_id;
  return stored
    .filter((option) => option.code === sent.code)
    .filter(
      (option) => scopeOf(option) !== sent.scope.type || (ids(option) ?? null) !== (sent.scope.id ?? null),
    )
    .map((option) => `${payloadText(option.payload)} (${text.scopeNames[scopeOf(option)]})`)
    .join("; ");
}
