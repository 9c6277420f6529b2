// One action on many objects that POST /bulk does not know: each by itself, with progress, until one is refused.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components";
import { send } from "../../api/ask.ts";
import type { Call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import { text } from "../../text/frame.ts";
import { CallPreview } from "../call/CallPreview.tsx";

type Named = { readonly name: string; readonly call: Call };
type Props = { calls: readonly Named[]; action: string; onDone: () => void };

export function EachForm({ calls, action, onDone }: Props) {
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const [busy, setBusy] = useState(false);
  const [stopped, setStopped] = useState("");

  async function act() {
    setBusy(true);
    setStopped("");
    const failed = await sendEach(calls.slice(done), (count) => setDone(done + count));
    setBusy(false);
    setStopped(failed);
    await queries.invalidateQueries();
    if (failed === "") onDone();
  }

  return (
    <div className="stack">
      {busy && (
        <p role="status">
          <progress value={done} max={calls.length} /> {text.bulk.progress(done, calls.length)}
        </p>
      )}
      {stopped && (
        <p role="alert" className="notice bad">
          {stopped}
        </p>
      )}
      <CallPreview call={calls.map((each) => each.call)} />
      <div className="row">
        <Button className="danger" isDisabled={busy} onPress={() => void act()}>
          {action}
        </Button>
      </div>
    </div>
  );
}

// Why it stopped, or nothing.
async function sendEach(calls: readonly Named[], told: (count: number) => void): Promise<string> {
  for (const [index, { name, call }] of calls.entries()) {
    try {
      await send(call);
      told(index + 1);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return `${name}: ${error.message}`;
    }
  }
  return "";
}
