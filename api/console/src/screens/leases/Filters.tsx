import { useEffect, useState } from "react";
import { Choice } from "../../parts/form/Choice.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { useSettled } from "../../parts/useSettled.ts";
import type { Words } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { STATES } from "./columns.tsx";
import { text } from "./text.ts";

type Props = { words: Words; change: (changed: Words, how?: { replace: boolean }) => void };
const ANY = { id: "", title: text.any };
const FAMILIES = [ANY, { id: "4", title: shared.families.ipv4 }, { id: "6", title: shared.families.ipv6 }];

export function Filters({ words, change }: Props) {
  const [typed, setTyped] = useState(words.q ?? "");
  const settled = useSettled(typed, 100);
  const { q } = words;
  useEffect(() => {
    if (settled !== (q ?? "")) change({ q: settled }, { replace: true });
  }, [settled, q, change]);
  return (
    <search className="filters">
      <Entry label={text.filter} type="search" value={typed} onChange={setTyped} autoComplete="off" />
      <Choice
        label={text.state}
        value={words.state ?? ""}
        options={[ANY, ...STATES.map((id) => ({ id, title: text.states[id] }))]}
        onChange={(state) => change({ state })}
      />
      <Choice
        label={text.family}
        value={words.family ?? ""}
        options={FAMILIES}
        onChange={(family) => change({ family })}
      />
    </search>
  );
}
