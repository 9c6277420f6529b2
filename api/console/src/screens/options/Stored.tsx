import { useMemo } from "react";
import { Choice } from "../../parts/form/Choice.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { OptionCollection } from "../../parts/options/OptionCollection.tsx";
import type { Scope } from "../../parts/options/scope.ts";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl, type Words } from "../../parts/useUrl.ts";
import { text } from "./text.ts";

const SCOPES = ["all", "global", "subnet", "pool", "class", "reservation"] as const;
const FAMILIES = [
  { id: "", title: text.families.all },
  { id: "4", title: text.families.v4 },
  { id: "6", title: text.families.v6 },
];

export function Stored() {
  const [words, change] = useUrl();
  const { tenant_id } = useTenant();
  const scope = useMemo(() => scopeOf(words.scope, words.of, tenant_id), [words.scope, words.of, tenant_id]);
  const all = useMemo(() => everywhere(words, tenant_id), [words, tenant_id]);
  return (
    <>
      <div className="filters">
        <Choice
          label={text.scope}
          hint={text.newHere}
          value={words.scope ?? "all"}
          options={SCOPES.map((id) => ({ id, title: text.scopes[id] }))}
          onChange={(chosen) => change({ scope: chosen === "all" ? undefined : chosen, of: undefined })}
        />
        {needsId(words.scope) && (
          <Entry
            label={text.id}
            value={words.of ?? ""}
            onChange={(of) => change({ of }, { replace: true })}
          />
        )}
        <Choice
          label={text.family}
          value={words.family ?? ""}
          options={FAMILIES}
          onChange={(family) => change({ family })}
        />
      </div>
      <OptionCollection
        scope={scope}
        family={words.family === "6" ? 6 : 4}
        {...(words.scope === undefined || (scope.kind === "global") !== (words.scope === "global")
          ? { everywhere: all }
          : {})}
      />
    </>
  );
}

function needsId(scope: string | undefined): scope is "subnet" | "pool" | "class" | "reservation" {
  return scope === "subnet" || scope === "pool" || scope === "class" || scope === "reservation";
}

// A scope whose object nobody named yet is that of all.
function scopeOf(kind: string | undefined, id: string | undefined, tenant_id: string | undefined): Scope {
  if (needsId(kind) && id) return { kind, id };
  return { kind: "global", ...(tenant_id === undefined ? {} : { tenant: { tenant_id } }) };
}

function everywhere(words: Words, tenant_id: string | undefined): Record<string, string> {
  return { ...(words.family ? { family: words.family } : {}), ...(tenant_id ? { tenant_id } : {}) };
}
