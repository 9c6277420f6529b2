import { type FormEvent, useMemo, useState } from "react";
import { Button } from "react-aria-components";
import { send } from "../api/ask.ts";
import { call } from "../api/calls.ts";
import { Problem } from "../api/problem.ts";
import { CallPreview } from "../parts/call/CallPreview.tsx";
import { Copy } from "../parts/call/Copy.tsx";
import { Entry } from "../parts/form/Entry.tsx";
import { newKey } from "../pure/key.ts";
import { dropCode } from "../store/code.ts";
import { takeToken } from "../store/token.ts";
import { text } from "./text.ts";

export function FirstToken() {
  const [name, setName] = useState("first");
  const [problem, setProblem] = useState<Problem>();
  const [secret, setSecret] = useState<string>();
  const key = useMemo(newKey, []);
  const made = call("post", "/api/v1/tokens", {
    params: { header: { "Idempotency-Key": key } },
    body: { name, role: "admin" },
  });

  async function make(event: FormEvent) {
    event.preventDefault();
    try {
      setSecret((await send(made)).data.token);
      dropCode();
    } catch (error) {
      if (error instanceof Problem) setProblem(error);
      else throw error;
    }
  }

  if (secret !== undefined) return <MadeToken secret={secret} />;
  return (
    <section>
      <h1>{text.first.title}</h1>
      <p>{text.first.explain}</p>
      <form onSubmit={(event) => void make(event)} className="stack">
        <Entry label={text.first.name} value={name} onChange={setName} error={problem?.message} autoFocus />
        <CallPreview call={made} />
        <Button type="submit" className="primary">
          {text.first.make}
        </Button>
      </form>
    </section>
  );
}

function MadeToken({ secret }: { secret: string }) {
  return (
    <section>
      <h1>{text.made.title}</h1>
      <p>{text.made.explain}</p>
      <div className="stack">
        <output className="secret" aria-label={text.made.secret}>
          {secret}
        </output>
        <div className="row">
          <Copy of={secret} />
          <Button className="primary" onPress={() => takeToken(secret, "tab")}>
            {text.made.enter}
          </Button>
        </div>
      </div>
    </section>
  );
}
