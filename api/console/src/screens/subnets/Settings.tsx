// All settings of a subnet, in groups; what differs is sent.
import { useState } from "react";
import { send } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { Subnet as SubnetObject } from "../../api/types.ts";
import { Facts } from "../../parts/Facts.tsx";
import { type Field, Fields, labelsOf } from "../../parts/fields/Fields.tsx";
import { ActionForm } from "../../parts/form/ActionForm.tsx";
import { useMay } from "../../parts/useSession.ts";
import { type Body, changesOf, typedOf } from "../../pure/fields.ts";
import { subnetOf } from "./reads.ts";
import { groups } from "./settingGroups.ts";
import { text } from "./text.ts";
import "./subnets.css";

type Props = { subnet: SubnetObject; etag: string | null };
const ALL: readonly Field[] = groups.flatMap(({ fields }) => fields);

export function Settings({ subnet, etag }: Props) {
  return useMay("write") ? <Form subnet={subnet} etag={etag} /> : <Shown subnet={subnet} />;
}

function Shown({ subnet }: { subnet: SubnetObject }) {
  const typed = typedOf(ALL, subnet as Body);
  return <Facts facts={ALL.map(({ name, label }) => [label, typed[name]] as const)} />;
}

function Form({ subnet, etag }: Props) {
  const [base, setBase] = useState({ typed: typedOf(ALL, subnet as Body), etag });
  const [typed, setTyped] = useState(base.typed);
  const changes = withRemoved(changesOf(ALL, typed, base.typed), base.typed.custom);
  const path = { id: subnet.id };
  const read = subnetOf(subnet.id);
  const header = base.etag === null ? {} : { "If-Match": base.etag };

  function take(now: unknown, tag: string | null) {
    const shown = typedOf(ALL, now as Body);
    setBase({ typed: shown, etag: tag });
    setTyped(shown);
  }

  return (
    <ActionForm
      call={call("patch", "/api/v1/subnets/{id}", { params: { path, header }, body: changes as never })}
      action={text.save}
      onDone={() => void send(read).then(({ data, etag }) => take(data, etag))}
      disabled={Object.keys(changes).length === 0}
      labels={labelsOf(ALL)}
      read={read}
      onTheirs={take}
    >
      {(errorAt) =>
        groups.map(({ title, fields }) => (
          <fieldset key={title} className="subnets-group">
            <legend>{title}</legend>
            <Fields fields={fields} typed={typed} onChange={setTyped} errorAt={errorAt} />
          </fieldset>
        ))
      }
    </ActionForm>
  );
}

// A patch merges own fields one by one: those that were taken out are told as null.
function withRemoved(changes: Body, before: string | undefined): Body {
  const { custom } = changes;
  if (typeof custom !== "object" || custom === null) return changes;
  const gone = Object.keys(JSON.parse(before || "{}")).filter((name) => !(name in custom));
  return { ...changes, custom: { ...custom, ...Object.fromEntries(gone.map((name) => [name, null])) } };
}
