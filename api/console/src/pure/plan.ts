// A plan, as `ipam import FILE --plan plan.json` writes it: what is to be made, in the order of a cutover, and what the
// source says that could not be taken over.

export const FAMILIES = [
  "option-definitions",
  "client-classes",
  "prefixes",
  "subnets",
  "excludes",
  "pools",
  "reservations",
  "options",
  "assignments",
] as const;
export const REASONS = ["dropped", "approximated", "manual"] as const;

export type Family = (typeof FAMILIES)[number];
export type Reason = (typeof REASONS)[number];
export type Fields = Readonly<Record<string, unknown>>;
export type Planned = {
  readonly ref: string;
  readonly family: Family;
  readonly line: number;
  readonly file?: string; // where that is not the source itself
  readonly inside?: string | null; // the ref of what it stands in
  readonly fields: Fields;
};
export type Warned = {
  readonly line: number;
  readonly reason: Reason;
  readonly what: string;
  readonly why: string;
};
export type Plan = {
  readonly format: string;
  readonly statements: { readonly read: number; readonly warned: number };
  readonly objects: readonly Planned[];
  readonly warnings: readonly Warned[];
};
// `json`: it is no JSON; `plan`: it is none of a plan; `object`, `warning`: the one of this number, from 1, is none.
export type Fault = { readonly code: "json" | "plan" | "object" | "warning"; readonly number: number };

const REF = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

export function readPlan(text: string): { plan: Plan } | { fault: Fault } {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { fault: { code: "json", number: 0 } };
  }
  if (!isMapping(read) || typeof read.format !== "string") return { fault: { code: "plan", number: 0 } };
  const { format, objects, warnings, statements } = read;
  if (!Array.isArray(objects) || !Array.isArray(warnings)) return { fault: { code: "plan", number: 0 } };
  const fault = faultIn(objects, warnings);
  return fault ? { fault } : { plan: { format, objects, warnings, statements: counted(statements) } };
}

function faultIn(objects: readonly unknown[], warnings: readonly unknown[]): Fault | null {
  const refs = new Set<string>();
  for (const [at, each] of objects.entries()) {
    if (!isPlanned(each, refs)) return { code: "object", number: at + 1 };
    refs.add(each.ref);
  }
  const wrong = warnings.findIndex((each) => !isWarned(each));
  return wrong < 0 ? null : { code: "warning", number: wrong + 1 };
}

// `refs`: of the objects before it, of which one is what it stands in.
function isPlanned(each: unknown, refs: ReadonlySet<string>): each is Planned {
  if (!isMapping(each) || !isMapping(each.fields)) return false;
  const { ref, family, line, inside } = each;
  const stands = inside === undefined || inside === null || (typeof inside === "string" && refs.has(inside));
  return (
    typeof ref === "string" &&
    REF.test(ref) &&
    !refs.has(ref) &&
    (FAMILIES as readonly unknown[]).includes(family) &&
    Number.isInteger(line) &&
    stands
  );
}

function isWarned(each: unknown): each is Warned {
  return (
    isMapping(each) &&
    Number.isInteger(each.line) &&
    (REASONS as readonly unknown[]).includes(each.reason) &&
    typeof each.what === "string" &&
    typeof each.why === "string"
  );
}

function counted(statements: unknown): Plan["statements"] {
  const { read, warned } = isMapping(statements) ? statements : {};
  return { read: Number(read ?? 0), warned: Number(warned ?? 0) };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// What an object is called: its family, and what tells it from others.
const NAMES = ["cidr", "ip", "start_ip", "prefix", "name", "mac", "duid", "code"];

export function labelOf({ family, fields }: Pick<Planned, "family" | "fields">): string {
  const name = NAMES.map((each) => fields[each]).find((value) => value);
  return name === undefined ? family : `${family} ${name}`;
}

// Whether it counts toward the managed address limit: with an address, or one that the server finds, or a prefix.
export function isManaged({ family, fields }: Pick<Planned, "family" | "fields">): boolean {
  if (family !== "reservations" && family !== "assignments") return false;
  return fields.ip !== null || Boolean(fields.prefix);
}
