import { Choice } from "../../parts/form/Choice.tsx";
import { UrlEntry } from "../../parts/form/UrlEntry.tsx";
import type { Words } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { STATES } from "./columns.tsx";
import { text } from "./text.ts";

type Props = { words: Words; change: (changed: Words) => void };
const ANY = { id: "", title: text.any };
const FAMILIES = [ANY, { id: "4", title: shared.families.ipv4 }, { id: "6", title: shared.families.ipv6 }];

export function Filters({ words, change }: Props) {
  return (
    <search className="filters">
      <UrlEntry label={text.filter} />
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
