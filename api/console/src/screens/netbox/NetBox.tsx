// Prefixes from a NetBox and to it. A trial shows which ones would be created and why others are left
// out.
import { useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import type { NetBoxResult } from "../../api/types.ts";
import { Fields } from "../../parts/fields/Fields.tsx";
import { ActionForm } from "../../parts/form/ActionForm.tsx";
import { useMay, useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import type { Body, Typed } from "../../pure/fields.ts";
import { answered, type Passes, untried } from "../../pure/passes.ts";
import { text as shared } from "../../text/frame.ts";
import { askedOf, fieldsOf, startOf, type Way } from "./fields.ts";
import { Outcome } from "./Outcome.tsx";
import { text } from "./text.ts";
import "./netbox.css";

const WAYS = Object.keys(text.ways) as Way[];

export default function NetBox() {
  const [words, change] = useUrl();
  const may = useMay("write");
  const way = WAYS.find((each) => each === words.way) ?? "import";
  if (!may) return <p className="notice">{shared.notForRole}</p>;
  return (
    <>
      <h1>{text.title}</h1>
      <Tabs selectedKey={way} onSelectionChange={(key) => key !== way && change({ way: String(key) })}>
        <TabList aria-label={text.title}>
          {WAYS.map((each) => (
            <Tab key={each} id={each}>
              {text.ways[each]}
            </Tab>
          ))}
        </TabList>
        <TabPanel key={way} id={way} className="react-aria-TabPanel stack">
          <Run way={way} />
        </TabPanel>
      </Tabs>
    </>
  );
}

function Run({ way }: { way: Way }) {
  const { tenant_id } = useTenant();
  const tenants = useAsk(call("get", "/api/v1/tenants", { params: { query: { limit: 1000 } } }));
  const [typed, setTyped] = useState(() => startOf(way, tenant_id));
  const [passes, setPasses] = useState<Passes<NetBoxResult>>(untried);
  const named = (tenants.data?.data.items ?? []).map(({ id, name }) => ({ id, title: name }));
  const fields = fieldsOf(way, named);
  const body = { ...askedOf(fields, typed), ...(passes.cursor === null ? {} : { cursor: passes.cursor }) };
  // Whoever changes what is asked has not tried it yet.
  function retype(changed: Typed) {
    setTyped(changed);
    setPasses(untried());
  }
  return (
    <>
      <p>{text.explain[way]}</p>
      <ActionForm
        call={callOf(way, { ...body, dry_run: passes.phase === "try" || passes.phase === "done" })}
        action={actionOf(passes)}
        onDone={(result) => setPasses(answered(passes.phase === "done" ? untried() : passes, result))}
      >
        {(errorAt) => (
          <div className="netbox-fields">
            <Fields fields={fields} typed={typed} onChange={retype} errorAt={errorAt} />
          </div>
        )}
      </ActionForm>
      {passes.answers.length > 0 && <Outcome answers={passes.answers} />}
    </>
  );
}

function callOf(way: Way, body: Body): Call<NetBoxResult> {
  return way === "import"
    ? call("post", "/api/v1/netbox/import", { body: body as never })
    : call("post", "/api/v1/netbox/export", { body: body as never });
}

function actionOf({ phase, cursor }: Passes<NetBoxResult>): string {
  if (phase === "done") return text.again;
  if (phase === "try") return cursor === null ? text.tryFirst : text.tryOn;
  return cursor === null ? text.do : text.doOn;
}
