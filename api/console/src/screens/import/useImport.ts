// Checks the objects of a plan, and creates them: one request after another, each all or nothing.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { send } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import type { components } from "../../api/schema";
import type { Compared } from "../../pure/existing.ts";
import { newKey } from "../../pure/key.ts";
import type { Operation, Planned } from "../../pure/plan.ts";
import { portionsOf, withIds } from "../../pure/portions.ts";
import { type Found, type Passed, type Refusal, type Refused, refusalsOf } from "../../pure/refusals.ts";

type Results = components["schemas"]["BulkResults"];
export type Progress = { readonly done: number; readonly of: number };
export type State =
  | { readonly phase: "idle" }
  | ({ readonly phase: "checking" } & Progress)
  | { readonly phase: "checked"; readonly found: Found }
  | ({ readonly phase: "creating" } & Progress);
export type Created = { readonly planned: Planned; readonly id: string };
// `stopped`: what ended the import; `isUnknown`: no final answer came, so the last request may have been carried out.
export type Outcome = {
  readonly created: readonly Created[];
  readonly stopped: (Refused & { readonly isUnknown: boolean }) | null;
};

export function bulkOf(operations: readonly Operation[], dry_run: boolean, key?: string): Call<Results> {
  const params = key === undefined ? {} : { params: { header: { "Idempotency-Key": key } } };
  return call("post", "/api/v1/bulk", { ...params, body: { operations: [...operations] as never, dry_run } });
}

export function useImport(compared: Compared) {
  const queries = useQueryClient();
  const [state, setState] = useState<State>({ phase: "idle" });
  const [outcome, setOutcome] = useState<Outcome>();
  const checked = useRef<Compared>(undefined);
  // A check of other objects is no check of these.
  const now: State = state.phase === "checked" && checked.current !== compared ? { phase: "idle" } : state;

  async function check() {
    setOutcome(undefined);
    const found = await refusalsOf(compared.wanted, attempt, (done, of) =>
      setState({ phase: "checking", done, of }),
    );
    checked.current = compared;
    setState({ phase: "checked", found });
  }

  async function create(wanted: readonly Planned[]) {
    const created: Created[] = [];
    setState({ phase: "creating", done: 0, of: wanted.length });
    const stopped = await createAll(wanted, (some) => {
      created.push(...some);
      setState({ phase: "creating", done: created.length, of: wanted.length });
    });
    setOutcome({ created, stopped });
    await queries.invalidateQueries(); // the objects that exist are read again before the next check
    setState({ phase: "idle" });
  }

  return { state: now, outcome, check, create };
}

async function attempt(some: readonly Planned[]): Promise<Refusal | Passed> {
  try {
    const operations = some.map(({ operation }) => operation);
    const { results, impact } = (await send(bulkOf(operations, true))).data;
    const warningsOf = (body: unknown) => (body as { warnings?: readonly string[] } | null)?.warnings ?? [];
    const { count, items } = impact?.leases ?? { count: 0, items: [] };
    const named = items.map((lease) => [lease.ip, lease.hostname ?? lease.mac ?? lease.duid]);
    return {
      warnings: results.map(({ body }) => warningsOf(body)),
      leases: { count, named: named.map((words) => words.filter(Boolean).join(" ")) },
    };
  } catch (error) {
    return refusalOf(error);
  }
}

// Reports after each request what it created.
async function createAll(
  wanted: readonly Planned[],
  onCreated: (some: readonly Created[]) => void,
): Promise<Outcome["stopped"]> {
  const ids = new Map<string, string>();
  for (const portion of portionsOf(wanted)) {
    const operations = portion.map(({ operation }) => withIds(operation, ids));
    try {
      const { results } = (await send(bulkOf(operations, false, newKey()))).data;
      const created = portion.map((planned, at) => ({ planned, id: idOf(results[at]?.body) }));
      for (const { planned, id } of created) ids.set(planned.ref, id);
      onCreated(created);
    } catch (error) {
      const { index, field, message } = refusalOf(error);
      const planned = index === null ? null : (portion[index] ?? null);
      const isUnknown = !(error instanceof Problem && error.isFinal);
      return { planned, field, message, isUnknown };
    }
  }
  return null;
}

function idOf(body: unknown): string {
  return String((body as { id?: unknown } | null)?.id ?? "");
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Problem)) return { index: null, field: "", message: String(error) };
  const { index, field, reason, conflicts_with } = (error.details ?? {}) as Details;
  return {
    index: typeof index === "number" ? index : null,
    field: field ?? "",
    message: [reason ?? error.message, ...inTheWay(conflicts_with)].join(" "),
  };
}

type Details = {
  index?: number;
  field?: string;
  reason?: string;
  conflicts_with?: Readonly<Record<string, unknown>>;
};

// The object that a conflict names, in parentheses.
function inTheWay(other: Details["conflicts_with"]): string[] {
  const named = Object.entries(other ?? {}).filter(([name, value]) => name !== "id" && value !== null);
  return named.length === 0 ? [] : [`(${named.map(([name, value]) => `${name} ${value}`).join(", ")})`];
}
