// Asks before something is deleted, and says what falls with it: what a dry run of the same call answers.
import { useState } from "react";
import { Checkbox } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import type { Call } from "../../api/calls.ts";
import type { Problem } from "../../api/problem.ts";
import type { components } from "../../api/schema";
import { text } from "../../text/frame.ts";
import { Drawer } from "../Drawer.tsx";
import { ActionForm } from "../form/ActionForm.tsx";

type Impact = components["schemas"]["Impact"];
type Props = {
  what: string; // its name, as people call it
  call: Call; // the deletion, without cascade
  onDone: () => void;
  onCancel: () => void;
};

export function Deletion({ what, call, onDone, onCancel }: Props) {
  const [cascade, setCascade] = useState(false);
  const wanted: Call = cascade ? { ...call, query: { ...call.query, cascade: true } } : call;
  const tried = useAsk({ ...wanted, query: { ...wanted.query, dry_run: true } }, { retry: false, gcTime: 0 });
  const impact = (tried.data?.data as { impact?: Impact } | undefined)?.impact;
  const children = childrenOf(tried.error);
  return (
    <Drawer title={text.deletion.title(what)} onClose={onCancel}>
      <ActionForm
        call={wanted}
        action={text.deletion.confirm}
        onDone={onDone}
        onCancel={onCancel}
        danger
        disabled={impact === undefined}
      >
        {() => (
          <>
            {impact && <Falls impact={impact} />}
            {tried.error && <p className="notice bad">{tried.error.message}</p>}
            {children.length > 0 && (
              <ul>
                {children.map(([kind, count]) => (
                  <li key={kind}>{text.deletion.children(count, wordOf(kind, count))}</li>
                ))}
              </ul>
            )}
            {(children.length > 0 || cascade) && (
              <Checkbox className="check" isSelected={cascade} onChange={setCascade}>
                {text.deletion.cascade}
              </Checkbox>
            )}
          </>
        )}
      </ActionForm>
    </Drawer>
  );
}

function Falls({ impact }: { impact: Impact }) {
  const { leases, reservations, records } = impact;
  const told = [
    leases.count > 0 && text.deletion.leases(leases.count),
    reservations.count > 0 && text.deletion.reservations(reservations.count),
    records.count > 0 && text.deletion.records(records.count),
  ].filter((line) => line !== false);
  if (told.length === 0) return <p>{text.deletion.nothing}</p>;
  const named = [
    ...leases.items.map(({ ip, hostname }) => [ip, hostname].filter(Boolean).join(" ")),
    ...reservations.items.map(({ ip, mac, duid, hostname }) =>
      [ip, mac ?? duid, hostname].filter(Boolean).join(" "),
    ),
    ...records.items.map(({ name, type, data }) => `${name} ${type} ${data}`),
  ];
  return (
    <div>
      <p>{text.deletion.falls}</p>
      <ul>
        {told.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <pre className="falls">{named.join("\n")}</pre>
    </div>
  );
}

function wordOf(kind: string, count: number): string {
  const words: Record<string, string> = count === 1 ? text.deletion.one : text.deletion.many;
  return words[kind] ?? kind;
}

// A refusal (409) counts what stands below.
function childrenOf(problem: Problem | null): [string, number][] {
  const details = problem?.details as { children?: Record<string, number> } | undefined;
  return Object.entries(details?.children ?? {});
}
