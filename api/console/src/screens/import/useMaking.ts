// Tries what is missing, and makes it: request after request, each whole or not at all.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { send } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import type { components } from "../../api/schema";
import { newKey } from "../../pure/key.ts";
import type { Operation, Step, Steps } from "../../pure/planSteps.ts";
import { portionsOf, withIds } from "../../pure/portions.ts";
import { type Refusal, type Rehearsed, rehearse } from "../../pure/rehearsal.ts";

type Results = components["schemas"]["BulkResults"];
export type Progress = { readonly done: number; readonly of: number };
export type State =
  | { readonly phase: "idle" }
  | ({ readonly phase: "trying" } & Progress)
  | { readonly phase: "tried"; readonly found: Rehearsed }
  | ({ readonly phase: "making" } & Progress);
export type Made = { readonly step: Step; readonly id: string };
// What the last making came to; `stopped` by what was refused.
export type Outcome = { readonly made: readonly Made[]; readonly stopped: Refused | null };
type Refused = { readonly step: Step | null; readonly message: string };

export function bulkOf(operations: readonly Operation[], dry_run: boolean, key?: string): Call<Results> {
  const params = key === undefined ? {} : { params: { header: { "Idempotency-Key": key } } };
  return call("post", "/api/v1/bulk", { ...params, body: { operations: [...operations] as never, dry_run } });
}

export function useMaking(steps: Steps) {
  const queries = useQueryClient();
  const [state, setState] = useState<State>({ phase: "idle" });
  const [outcome, setOutcome] = useState<Outcome>();
  const tried = useRef<Steps>(undefined);
  // What was tried of other steps says nothing of these.
  const now: State = state.phase === "tried" && tried.current !== steps ? { phase: "idle" } : state;

  async function tryIt() {
    setOutcome(undefined);
    const found = await rehearse(steps.missing, attempt, (done, of) =>
      setState({ phase: "trying", done, of }),
    );
    tried.current = steps;
    setState({ phase: "tried", found });
  }

  async function make(wanted: readonly Step[]) {
    const made: Made[] = [];
    setState({ phase: "making", done: 0, of: wanted.length });
    const stopped = await makeAll(wanted, (some) => {
      made.push(...some);
      setState({ phase: "making", done: made.length, of: wanted.length });
    });
    setOutcome({ made, stopped });
    await queries.invalidateQueries(); // what is missing is another thing now, and nothing is tried before that is read
    setState({ phase: "idle" });
  }

  return { state: now, outcome, tryIt, make };
}

async function attempt(steps: readonly Step[]): Promise<Refusal | null> {
  try {
    await send(
      bulkOf(
        steps.map(({ operation }) => operation),
        true,
      ),
    );
    return null;
  } catch (error) {
    return refusalOf(error);
  }
}

// What was refused, or nothing. What each request has made is told as it is.
async function makeAll(
  steps: readonly Step[],
  tell: (some: readonly Made[]) => void,
): Promise<Refused | null> {
  const ids = new Map<string, string>();
  for (const portion of portionsOf(steps)) {
    const operations = portion.map(({ operation }) => withIds(operation, ids));
    try {
      const { results } = (await send(bulkOf(operations, false, newKey()))).data;
      const made = portion.map((step, at) => ({ step, id: idOf(results[at]?.body) }));
      for (const { step, id } of made) ids.set(step.ref, id);
      tell(made);
    } catch (error) {
      const { index, message } = refusalOf(error);
      return { step: index === null ? null : (portion[index] ?? null), message };
    }
  }
  return null;
}

function idOf(body: unknown): string {
  return String((body as { id?: unknown } | null)?.id ?? "");
}

// A request that never came to an answer is one that was refused as a whole: what it made shows when it is tried again.
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Problem)) return { index: null, message: String(error) };
  const { index, field, reason } = (error.details ?? {}) as {
    index?: number;
    field?: string;
    reason?: string;
  };
  const place = field === undefined || reason === undefined ? error.message : `${field}: ${reason}`;
  return { index: typeof index === "number" ? index : null, message: place };
}
