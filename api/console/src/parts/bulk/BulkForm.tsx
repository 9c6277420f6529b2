// Many changes as one: tried first, then all of them or none.
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Button } from "react-aria-components";
import { send } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import type { components } from "../../api/schema";
import { newKey } from "../../pure/key.ts";
import { text } from "../../text/frame.ts";
import { CallPreview } from "../call/CallPreview.tsx";

export type Operation = components["schemas"]["Operation"];
type Props = { operations: readonly Operation[]; action: string; onDone: () => void };

export function BulkForm({ operations, action, onDone }: Props) {
  const queries = useQueryClient();
  const [key, setKey] = useState(newKey);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const bulk = useMemo(() => callOf(operations, key), [operations, key]);

  async function act(dryRun: boolean) {
    try {
      setProblem(undefined);
      await send(dryRun ? { ...bulk, body: { ...(bulk.body as object), dry_run: true } } : bulk);
      setTried(dryRun);
      if (dryRun) return;
      await queries.invalidateQueries();
      onDone();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      if (error.isFinal) setKey(newKey()); // likewise: the same sent again is another try, not the kept refusal
    }
  }

  return (
    <div className="stack">
      {tried && <p role="status">{text.bulk.tried(operations.length)}</p>}
      {problem && (
        <p role="alert" className="notice bad">
          {text.bulk.failed} {problem.message} {culprit(problem, operations)}
        </p>
      )}
      <CallPreview call={bulk} />
      <div className="row">
        <Button onPress={() => void act(true)}>{text.bulk.dryRun}</Button>
        <Button className="primary" onPress={() => void act(false)}>
          {action}
        </Button>
      </div>
    </div>
  );
}

function callOf(operations: readonly Operation[], key: string) {
  const params = { header: { "Idempotency-Key": key } };
  return call("post", "/api/v1/bulk", { params, body: { operations: [...operations], dry_run: false } });
}

// The operation that a refusal names.
function culprit(problem: Problem, operations: readonly Operation[]): string {
  const index = (problem.details as { index?: number } | undefined)?.index;
  return index === undefined ? "" : JSON.stringify(operations[index]?.body ?? operations[index]?.path);
}
