// What a form of fields holds while somebody types, and the body that it sends. All that is typed is text; a body has
// what the API calls it: numbers, lists, true and false, null for what is not set.
export type Kind = "text" | "area" | "number" | "list" | "check" | "choice" | "secret" | "json";
export type FieldKind = {
  readonly name: string; // in the API
  readonly kind?: Kind; // "text" unless said
  readonly nullable?: boolean; // emptied, it is null; otherwise ""
};
export type Typed = Readonly<Record<string, string>>;
export type Body = Record<string, unknown>;

// What an object's fields look like when they are typed; `object` may lack some.
export function typedOf(fields: readonly FieldKind[], object: Readonly<Body>): Typed {
  return Object.fromEntries(fields.map(({ name }) => [name, shown(object[name])]));
}

// Of a new object: what is empty is left to the API's default.
export function bodyOf(fields: readonly FieldKind[], typed: Typed): Body {
  const filled = fields.filter(({ name }) => (typed[name] ?? "").trim() !== "");
  return Object.fromEntries(filled.map((field) => [field.name, sendable(field, typed[field.name] ?? "")]));
}

// Of an edit: only what differs from what stood there.
export function changesOf(fields: readonly FieldKind[], typed: Typed, before: Typed): Body {
  const changed = fields.filter(({ name }) => (typed[name] ?? "") !== (before[name] ?? ""));
  return Object.fromEntries(changed.map((field) => [field.name, sendable(field, typed[field.name] ?? "")]));
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

// What is no number is sent as it was typed, so that the API says what is wrong with it.
function sendable({ kind, nullable }: FieldKind, typed: string): unknown {
  const trimmed = typed.trim();
  if (kind === "list") return trimmed === "" ? [] : trimmed.split(/[\s,]+/);
  if (kind === "check") return trimmed === "true";
  if (trimmed === "") return nullable ? null : "";
  if (kind === "json") return parsed(trimmed);
  if (kind === "number") return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
  return kind === "area" || kind === "secret" ? typed : trimmed;
}

// What is no JSON is sent as it was typed, for the API to refuse it at its field.
function parsed(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
