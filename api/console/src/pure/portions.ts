// Objects as requests: one takes up to a thousand operations, all of them or none. Of more, each thousand is made by itself,
// and what an earlier one has made goes by its id in the later ones.
import type { Operation, Planned } from "./plan.ts";

export const MOST = 1000;
const MOST_OCTETS = 1_500_000; // a request takes 2 MiB

export function portionsOf(steps: readonly Planned[], most = MOST): Planned[][] {
  const portions: Planned[][] = [];
  let room: Room = { steps: 0, octets: 0 };
  for (const step of steps) {
    const size = octetsOf(step);
    if (portions.length === 0 || room.steps < 1 || room.octets < size) {
      portions.push([]);
      room = { steps: most, octets: MOST_OCTETS };
    }
    portions.at(-1)?.push(step);
    room = { steps: room.steps - 1, octets: room.octets - size };
  }
  return portions;
}

type Room = { readonly steps: number; readonly octets: number };

function octetsOf({ operation }: Planned): number {
  return new TextEncoder().encode(JSON.stringify(operation)).length;
}

// Portions of which each can be tried by itself: what its steps stand on is in it too, although another has it already.
export function rehearsalsOf(steps: readonly Planned[], most = MOST): Planned[][] {
  const byRef = new Map(steps.map((step) => [step.ref, step]));
  const parts: Set<Planned>[] = [];
  let octets = 0;
  for (const step of steps) {
    const whole = withAncestors(step, byRef);
    const last = parts.at(-1);
    const fresh = whole.filter((each) => !last?.has(each));
    const size = fresh.reduce((sum, each) => sum + octetsOf(each), 0);
    if (last && last.size + fresh.length <= most && octets + size <= MOST_OCTETS) {
      for (const each of fresh) last.add(each);
      octets += size;
    } else {
      parts.push(new Set(whole));
      octets = whole.reduce((sum, each) => sum + octetsOf(each), 0);
    }
  }
  return parts.map((part) => [...part]);
}

// A step behind all that it stands on.
function withAncestors(step: Planned, byRef: ReadonlyMap<string, Planned>): Planned[] {
  const above = refsIn(step.operation).flatMap((ref) => byRef.get(ref) ?? []);
  return [...new Set([...above.flatMap((each) => withAncestors(each, byRef)), step])];
}

// What an operation names: in its path, and in the ids of its body.
function refsIn({ path, body }: Operation): string[] {
  const ids = Object.entries(body).flatMap(([name, value]) => (name.endsWith("_id") ? [String(value)] : []));
  return [...path.split("/"), ...ids].filter((word) => word.startsWith("$")).map((word) => word.slice(1));
}

// Refs that an operation names and that are not among these.
export function missingRefs(operation: Operation, known: ReadonlySet<string>): string[] {
  return refsIn(operation).filter((ref) => !known.has(ref));
}

// A step and all that stands on it.
export function withDependents(steps: readonly Planned[], ref: string): Set<string> {
  const gone = new Set([ref]);
  for (const step of steps) if (refsIn(step.operation).some((each) => gone.has(each))) gone.add(step.ref);
  return gone;
}

export function withIds(operation: Operation, ids: ReadonlyMap<string, string>): Operation {
  const known = (word: string) => (word.startsWith("$") ? (ids.get(word.slice(1)) ?? word) : word);
  const body = Object.entries(operation.body).map(([name, value]) => [
    name,
    name.endsWith("_id") && typeof value === "string" ? known(value) : value,
  ]);
  return {
    ...operation,
    path: operation.path.split("/").map(known).join("/"),
    body: Object.fromEntries(body),
  };
}
