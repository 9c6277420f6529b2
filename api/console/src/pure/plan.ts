// Plan of `ipam import --plan` (api/cli/importing/plan_file.py): each object with its operation of POST /bulk, and the key
// by which the server may already have the object. `$ref` in both is the id of another object, `$tenant` of the tenant.

export const VERSION = 1;

export type Fields = Readonly<Record<string, unknown>>;
export type Operation = {
  readonly op: "create";
  readonly path: string;
  readonly body: Fields;
  readonly ref: string;
};
export type Planned = {
  readonly ref: string;
  readonly family: string;
  readonly line: number;
  readonly file?: string; // if it is not the source itself
  readonly label: string;
  readonly managed: boolean; // counts toward the managed address limit
  readonly key: Fields;
  readonly operation: Operation;
};
export type Warned = {
  readonly line: number;
  readonly reason: string;
  readonly what: string;
  readonly why: string;
};
// A row of a table that cannot be imported.
export type BadRow = {
  readonly line: number;
  readonly label: string;
  readonly field: string;
  readonly why: string;
};
export type Plan = {
  readonly format: string;
  readonly statements: { readonly read: number; readonly warned: number };
  readonly objects: readonly Planned[];
  readonly there: readonly Planned[]; // subnets of the server that contain objects, with their prefixes
  readonly warnings: readonly Warned[];
  readonly badRows: readonly BadRow[];
};
// `number`: of the object or warning, from 1.
export type Fault =
  | { readonly code: "json" | "plan" | "older" }
  | { readonly code: "newer"; readonly number: number }
  | { readonly code: "object" | "warning"; readonly number: number };

const REF = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

export function readPlan(text: string): { plan: Plan } | { fault: Fault } {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { fault: { code: "json" } };
  }
  if (!isMapping(read) || typeof read.format !== "string") return { fault: { code: "plan" } };
  const { format, version, objects, warnings, statements, there = [] } = read;
  if (!Array.isArray(objects) || !Array.isArray(warnings) || !Array.isArray(there)) {
    return { fault: { code: "plan" } };
  }
  if (version !== VERSION) return { fault: versionFault(version) };
  const fault = faultIn([...there, ...objects], there.length, warnings);
  if (fault !== null) return { fault };
  return { plan: { format, objects, there, warnings, statements: counted(statements), badRows: [] } };
}

function versionFault(version: unknown): Fault {
  if (version === undefined) return { code: "older" };
  return typeof version === "number" ? { code: "newer", number: version } : { code: "plan" };
}

function faultIn(objects: readonly unknown[], before: number, warnings: readonly unknown[]): Fault | null {
  const refs = new Set<string>();
  for (const [at, each] of objects.entries()) {
    if (!isPlanned(each) || refs.has(each.ref) || (at >= before && !REF.test(each.ref))) {
      return at < before ? { code: "plan" } : { code: "object", number: at - before + 1 };
    }
    refs.add(each.ref);
  }
  const wrong = warnings.findIndex((each) => !isWarned(each));
  return wrong < 0 ? null : { code: "warning", number: wrong + 1 };
}

function isPlanned(each: unknown): each is Planned {
  if (!isMapping(each) || !isMapping(each.key) || !isMapping(each.operation)) return false;
  const { ref, family, line, label, operation } = each;
  return (
    [ref, family, label, operation.path].every((word) => typeof word === "string") &&
    Number.isInteger(line) &&
    operation.op === "create" &&
    operation.ref === ref &&
    isMapping(operation.body)
  );
}

function isWarned(each: unknown): each is Warned {
  return (
    isMapping(each) &&
    Number.isInteger(each.line) &&
    [each.reason, each.what, each.why].every((word) => typeof word === "string")
  );
}

function counted(statements: unknown): Plan["statements"] {
  const { read, warned } = isMapping(statements) ? statements : {};
  return { read: Number(read ?? 0), warned: Number(warned ?? 0) };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
