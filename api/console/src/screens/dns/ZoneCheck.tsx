// What common secondaries would refuse in a zone, or warn about.
import { useState } from "react";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { ActionForm } from "../../parts/form/ActionForm.tsx";
import { text } from "./text.ts";

type Schemas = components["schemas"];
type Props = { zone: string; onClose: () => void };

export function CheckZone({ zone, onClose }: Props) {
  const [found, setFound] = useState<Schemas["ZoneChecked"]>();
  const params = { path: { id: zone } };
  return (
    <div className="stack">
      <ActionForm
        call={call("post", "/api/v1/dns-zones/{id}/check", { params })}
        action={text.check.title}
        onDone={setFound}
        onCancel={onClose}
      >
        {() => <p>{text.check.explain}</p>}
      </ActionForm>
      {found && <Checked found={found} />}
    </div>
  );
}

function Checked({ found }: { found: Schemas["ZoneChecked"] }) {
  return (
    <>
      <p role="status" className="notice">
        {text.check.counted(found.records, found.errors, found.warnings)}
        {!found.complete && ` ${text.check.incomplete}`}
      </p>
      <ul>
        {found.findings.map((each) => (
          <li key={`${each.code} ${each.name} ${each.type} ${each.data}`}>
            <strong>
              {text.check.severities[each.severity]}:{" "}
              {[each.name, each.type, each.data].filter(Boolean).join(" ")}
            </strong>{" "}
            {each.problem}. {each.fix} {text.check.servers(each.servers)}
          </li>
        ))}
      </ul>
    </>
  );
}
