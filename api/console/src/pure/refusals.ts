// All refusals of a plan. A dry run ends at the first refusal, so the refused operation and those that depend on it are
// left out, and the rest is sent again.
import type { Planned } from "./plan.ts";
import { rehearsalsOf, withDependents } from "./portions.ts";

// `index`: of the operation; null: the request as a whole is refused.
export type Refusal = { readonly index: number | null; readonly field: string; readonly message: string };
export type Refused = Omit<Refusal, "index"> & { readonly planned: Planned | null };
export type Remark = { readonly planned: Planned; readonly message: string };
// Active leases that the server would refuse at their next renewal: how many, and the first of them.
export type Leases = { readonly count: number; readonly named: readonly string[] };
export type Passed = { readonly warnings: readonly (readonly string[])[]; readonly leases: Leases };
export type Found = {
  readonly refused: readonly Refused[];
  readonly remarks: readonly Remark[]; // warnings of the server
  readonly leases: Leases;
  readonly gone: ReadonlySet<string>; // refs of refused operations and of those that depend on them
  readonly isWhole: boolean; // everything was checked
};
// Returns a refusal, or the server's warnings per operation and the effects of all.
export type Attempt = (some: readonly Planned[]) => Promise<Refusal | Passed>;

export const MOST_REFUSED = 50;

export async function refusalsOf(
  wanted: readonly Planned[],
  attempt: Attempt,
  onPart: (done: number, of: number) => void = () => undefined,
  most?: number,
): Promise<Found> {
  const refused: Refused[] = [];
  const remarks = new Map<string, Remark>();
  const gone = new Set<string>();
  let leases: Leases = { count: 0, named: [] };
  const parts = rehearsalsOf(wanted, most);
  const found = (isWhole: boolean) => ({ refused, remarks: [...remarks.values()], leases, gone, isWhole });
  for (const [at, part] of parts.entries()) {
    onPart(at, parts.length);
    for (;;) {
      const left = part.filter(({ ref }) => !gone.has(ref));
      if (left.length === 0) break;
      const answer = await attempt(left);
      if ("warnings" in answer) {
        for (const each of remarksOf(left, answer)) remarks.set(`${each.planned.ref} ${each.message}`, each);
        leases = {
          count: leases.count + answer.leases.count,
          named: [...leases.named, ...answer.leases.named],
        };
        break;
      }
      const { index, field, message } = answer;
      const planned = index === null ? null : (left[index] ?? null);
      refused.push({ planned, field, message });
      if (planned === null || refused.length >= MOST_REFUSED) return found(false);
      for (const ref of withDependents(wanted, planned.ref)) gone.add(ref);
    }
  }
  return found(true);
}

function remarksOf(left: readonly Planned[], { warnings }: Passed): Remark[] {
  return left.flatMap((planned, at) => (warnings[at] ?? []).map((message) => ({ planned, message })));
}
