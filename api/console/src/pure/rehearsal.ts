// A plan tried on the server, which stops at the first thing that it refuses: that is noted and left out, with all that
// stands on it, and the rest is tried again, until nothing is refused.
import type { Step } from "./planSteps.ts";
import { rehearsalsOf, withDependents } from "./portions.ts";

// `index`: which of the steps; null: of none, but the request as a whole.
export type Refusal = { readonly index: number | null; readonly message: string };
export type Refused = { readonly step: Step | null; readonly message: string };
export type Rehearsed = {
  readonly refused: readonly Refused[];
  readonly gone: ReadonlySet<string>; // refs of what was refused and of what stands on it
  readonly isWhole: boolean; // all has been tried
};

export const MOST_REFUSED = 50;

export async function rehearse(
  steps: readonly Step[],
  attempt: (some: readonly Step[]) => Promise<Refusal | null>,
  onTried: (done: number, of: number) => void = () => undefined,
  most?: number,
): Promise<Rehearsed> {
  const refused: Refused[] = [];
  const gone = new Set<string>();
  const parts = rehearsalsOf(steps, most);
  for (const [at, part] of parts.entries()) {
    onTried(at, parts.length);
    for (;;) {
      const left = part.filter(({ ref }) => !gone.has(ref));
      const refusal = left.length === 0 ? null : await attempt(left);
      if (refusal === null) break;
      const step = refusal.index === null ? null : (left[refusal.index] ?? null);
      refused.push({ step, message: refusal.message });
      if (step === null || refused.length >= MOST_REFUSED) return { refused, gone, isWhole: false };
      for (const ref of withDependents(steps, step.ref)) gone.add(ref);
    }
  }
  return { refused, gone, isWhole: true };
}
