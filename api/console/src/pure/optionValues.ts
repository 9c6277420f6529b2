// How the value of an option is typed: by its kind as lines, text, a number or a flag; as octets any.
import type { OptionKind } from "./optionTable.ts";

export type Form =
  | "addresses"
  | "names"
  | "strings"
  | "string"
  | "value"
  | "values"
  | "flag"
  | "routes"
  | "hex"
  | "json";
export type Payload = Readonly<Record<string, unknown>>;

const FORMS: Readonly<Record<string, Form>> = {
  address: "addresses",
  name: "names",
  strings: "strings",
  string: "string",
  ascii: "string",
  flag: "flag",
  empty: "flag",
  routes: "routes",
  binary: "hex",
};

export function formOf(option: Pick<OptionKind, "kind" | "array"> | undefined): Form {
  if (option === undefined) return "hex";
  if (/^u?int(8|16|32)$/.test(option.kind)) return option.array ? "values" : "value";
  return FORMS[option.kind] ?? "json";
}

// In which form a payload that is stored can be typed: by its kind, else as octets or JSON.
export function formFor(payload: Payload, usual: Form): Form {
  if (usual in payload || usual === "json") return "hex" in payload ? "hex" : usual;
  return "hex" in payload ? "hex" : "json";
}

export function typedPayload(form: Form, payload: Payload): string {
  if (form === "json") return JSON.stringify(payload, null, 2);
  const value = payload[form];
  if (form === "routes")
    return (value as Route[]).map((route) => `${route.destination} ${route.router}`).join("\n");
  return Array.isArray(value) ? value.join("\n") : String(value ?? "");
}

type Route = { destination: string; router: string };

// What does not fit is sent as it is, so that the API says what would.
export function payloadOf(form: Form, typed: string): Payload {
  const lines = typed.split(/[\n,]+/).flatMap((line) => line.trim() || []);
  switch (form) {
    case "addresses":
    case "names":
    case "strings":
      return { [form]: lines };
    case "values":
      return { values: lines.map(numeric) };
    case "value":
      return { value: numeric(typed.trim()) };
    case "flag":
      return { flag: typed !== "false" };
    case "routes":
      return { routes: lines.map(routeOf) };
    case "json":
      return json(typed);
    default:
      return { [form]: form === "hex" ? typed.replaceAll(/[\s:]/g, "") : typed };
  }
}

function numeric(text: string): number | string {
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function routeOf(line: string): Route {
  const [destination = "", router = ""] = line.split(/\s+/);
  return { destination, router };
}

function json(typed: string): Payload {
  try {
    const value: unknown = JSON.parse(typed);
    return typeof value === "object" && value !== null ? (value as Payload) : { value };
  } catch {
    return { value: typed };
  }
}

// A payload in a line of a table.
export function payloadText(payload: Payload): string {
  if ("flag" in payload) return String(payload.flag);
  const [form] = Object.keys(payload);
  if (
    form === undefined ||
    ["routes", "addresses", "names", "strings", "values", "string", "value", "hex"].includes(form)
  ) {
    return form === undefined ? "" : typedPayload(form as Form, payload).replaceAll("\n", ", ");
  }
  return JSON.stringify(payload);
}
