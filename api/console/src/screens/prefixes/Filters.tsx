import { Choice } from "../../parts/form/Choice.tsx";
import { UrlEntry } from "../../parts/form/UrlEntry.tsx";
import type { Words } from "../../parts/useUrl.ts";
import { text as shared } from "../../text/frame.ts";
import { text } from "./text.ts";

type Props = { words: Words; change: (changed: Words) => void };
const SORTS = Object.entries(text.sorts).map(([id, title]) => ({ id: id === "cidr" ? "" : id, title }));
const FAMILIES = [
  { id: "", title: text.any },
  { id: "4", title: shared.families.ipv4 },
  { id: "6", title: shared.families.ipv6 },
];

export function Filters({ words, change }: Props) {
  return (
    <search className="filters">
      <UrlEntry label={text.filter} />
      <Choice
        label={text.family}
        value={words.family ?? ""}
        options={FAMILIES}
        onChange={(family) => change({ family })}
      />
      <Choice
        label={text.sort}
        value={words.sort ?? ""}
        options={SORTS}
        onChange={(sort) => change({ sort })}
      />
      <Choice
        label={text.as}
        value={words.as ?? ""}
        options={[
          { id: "", title: text.tree },
          { id: "list", title: text.list },
        ]}
        onChange={(as) => change({ as })}
      />
    </search>
  );
}
