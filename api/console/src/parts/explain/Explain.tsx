// Asks the engine what it would answer a client; every input can be changed and asked again.
import { useState } from "react";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import type { Explanation } from "../../api/types.ts";
import type { Typed } from "../../pure/fields.ts";
import { type Family, questionOf } from "../../pure/question.ts";
import { CallPreview } from "../call/CallPreview.tsx";
import { Drawer } from "../Drawer.tsx";
import { Fields } from "../fields/Fields.tsx";
import { FIELDS, FIRST } from "./fields.ts";
import { Steps } from "./Steps.tsx";
import { text } from "./text.ts";

type Props = { family: Family; start: Typed };

export function ExplainDrawer({ onClose, ...props }: Props & { onClose: () => void }) {
  return (
    <Drawer title={text.title} onClose={onClose}>
      <Explain {...props} />
    </Drawer>
  );
}

export function Explain({ family, start }: Props) {
  const [typed, setTyped] = useState<Typed>({ ...FIRST[family], ...start });
  const wanted = questionTo(family, typed);
  const [asked, setAsked] = useState<Call<Explanation> | null>(null);
  const { data, error } = useAsk(asked, { queryKey: ["explain", JSON.stringify(asked)], retry: false });
  const wrong = error?.field;
  return (
    <div className="stack">
      <p className="quiet">{text.explain}</p>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(wanted);
        }}
      >
        <div className="explain-fields">
          <Fields
            fields={FIELDS[family]}
            typed={typed}
            onChange={setTyped}
            errorAt={(field) => (wrong?.name === field ? wrong.reason : undefined)}
          />
        </div>
        {error && (
          <p role="alert" className="notice bad">
            {error.message}
          </p>
        )}
        <CallPreview call={wanted} />
        <div className="row">
          <Button type="submit" className="primary">
            {text.ask}
          </Button>
        </div>
      </form>
      {data && <Steps found={data.data} />}
    </div>
  );
}

function questionTo(family: Family, typed: Typed): Call<Explanation> {
  const body = questionOf(FIELDS[family], typed) as never;
  return family === "4"
    ? call("post", "/api/v1/dhcp/explain", { body })
    : call("post", "/api/v1/dhcp6/explain", { body });
}
