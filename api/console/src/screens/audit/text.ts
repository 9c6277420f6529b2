import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Audit",
  filter: "Any word of it",
  any: "Any",
  action: "What was done",
  actions: { created: "Created", updated: "Changed", deleted: "Deleted" },
  kind: "Kind of object",
  kindHint: "Such as subnet or dns_zone.",
  since: "Since",
  columns: {
    at: "When",
    who: "Token",
    action: "Did",
    kind: "Kind",
    object: "Object",
    from: "From",
    request: "Request",
  },
  entry: (action: string, kind: string) => `${action}: ${kind}`,
  id: "Id",
  changes: "Before and after",
  field: "Field",
  before: "Before",
  after: "After",
  unset: "–",
  restore: "Restore",
  restoreTitle: "Restore what stood there before?",
  restoreExplain:
    "The fields that this change altered get their former values, if the object is as it is now. Later changes of other fields stay.",
});
