// What an entry of the audit trail changed, and what would bring it back.
type Object_ = Readonly<Record<string, unknown>>;
export type Difference = { readonly field: string; readonly before: unknown; readonly after: unknown };

// Kept by the service itself; no PATCH takes them.
const KEPT = new Set([
  "id",
  "created_at",
  "updated_at",
  "serial",
  "tenant_id",
  "prefix_id",
  "subnet_id",
  "zone_id",
]);

// The fields that differ, those that only one side has among them.
export function differences(before: Object_ | null, after: Object_ | null): Difference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map((field) => ({ field, before: before?.[field], after: after?.[field] }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
}

// The body of the PATCH that gives the changed fields their former values. Empty: there is nothing to bring back.
export function restoration(before: Object_ | null, after: Object_ | null): Record<string, unknown> {
  if (before === null || after === null) return {};
  const back = differences(before, after).filter(
    (each) => !KEPT.has(each.field) && each.before !== undefined,
  );
  return Object.fromEntries(back.map((each) => [each.field, each.before]));
}

// The collection of a kind of object: client_class, client-classes.
export function collectionOf(kind: string): string {
  const name = kind.replaceAll("_", "-");
  return name.endsWith("x") || name.endsWith("s") ? `${name}es` : `${name}s`;
}
