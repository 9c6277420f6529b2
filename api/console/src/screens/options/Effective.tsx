// What a client is sent, by the engine's own decision: each value, where it comes from, what it stands instead of,
// and its octets.
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components";
import { send } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import { CallPreview } from "../../parts/call/CallPreview.tsx";
import { Choice } from "../../parts/form/Choice.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { Answer, type Explained } from "./Answer.tsx";
import { text } from "./text.ts";
import "./options.css";

const EMPTY = { family: "4", relay: "", mac: "", duid: "", vendor: "", requested: "" };
type Typed = typeof EMPTY;

export function Effective() {
  const [typed, setTyped] = useState(EMPTY);
  const [answer, setAnswer] = useState<Explained>();
  const [problem, setProblem] = useState<Problem>();
  const asked = typed.family === "6" ? question6(typed) : question4(typed);
  const set = (changed: Partial<Typed>) => setTyped((now) => ({ ...now, ...changed }));
  const field = problem?.field;
  const errorAt = (name: string) => (field?.name === name ? field.reason : undefined);

  async function ask(event: FormEvent) {
    event.preventDefault();
    setProblem(undefined);
    setAnswer(undefined);
    try {
      setAnswer((await send<unknown>(asked)).data as Explained);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  return (
    <div className="stack">
      <form className="stack" onSubmit={(event) => void ask(event)} noValidate>
        <div className="filters">
          <Choice
            label={text.family}
            value={typed.family}
            options={[
              { id: "4", title: text.families.v4 },
              { id: "6", title: text.families.v6 },
            ]}
            onChange={(family) => set({ family })}
          />
          <Entry
            label={typed.family === "6" ? text.relay6 : text.relay}
            value={typed.relay}
            onChange={(relay) => set({ relay })}
            error={errorAt(typed.family === "6" ? "link_address" : "relay")}
          />
          <Entry label={text.mac} value={typed.mac} onChange={(mac) => set({ mac })} error={errorAt("mac")} />
          {typed.family === "6" && (
            <Entry
              label={text.duid}
              value={typed.duid}
              onChange={(duid) => set({ duid })}
              error={errorAt("duid")}
            />
          )}
          <Entry label={text.vendor} value={typed.vendor} onChange={(vendor) => set({ vendor })} />
          <Entry
            label={text.requested}
            hint={text.requestedHint}
            value={typed.requested}
            onChange={(requested) => set({ requested })}
            error={errorAt("requested_options")}
          />
        </div>
        <CallPreview call={asked} />
        <div className="row">
          <Button type="submit" className="primary">
            {text.ask}
          </Button>
        </div>
      </form>
      {problem && (
        <p role="alert" className="notice bad">
          {problem.message}
        </p>
      )}
      {answer && <Answer answer={answer} family={typed.family === "6" ? 6 : 4} />}
    </div>
  );
}

function shared({ vendor, requested }: Typed) {
  const codes = requested
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
  return { ...(vendor && { vendor_class: vendor }), ...(codes.length > 0 && { requested_options: codes }) };
}

function question4(typed: Typed) {
  const { relay, mac } = typed;
  const body = { ...(relay && { relay }), ...(mac && { mac }), ...shared(typed) };
  return call("post", "/api/v1/dhcp/explain", { body: body as never });
}

function question6(typed: Typed) {
  const { relay, mac, duid } = typed;
  const body = { link_address: relay, duid, ...(mac && { mac }), ...shared(typed) };
  return call("post", "/api/v1/dhcp6/explain", { body: body as never });
}
