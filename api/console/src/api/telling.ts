// A call as people would send it: by curl, by the Python client, by `ipam`, or within a plan for POST /bulk.
// A token never appears; what is secret in a body is left to be filled in.
import { type Call, urlOf } from "./calls.ts";

const BASE = "/api/v1";
const SECRETS = new Set(["secret", "token", "password", "keytab", "api_token", "netbox_token"]);
export const HIDDEN = "…";

type Body = Record<string, unknown>;

// `origin`: http://host:port of the API.
export function asCurl(call: Call, origin: string): string {
  const parts = [`curl -X ${call.method.toUpperCase()} ${quoted(origin + urlOf(call))}`];
  parts.push('-H "Authorization: Bearer $IPAM_API_TOKEN"');
  for (const [name, value] of headersOf(call)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (call.body !== undefined) {
    parts.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(masked(call.body)))}`);
  }
  return parts.join(" \\\n  ");
}

export function asPython(call: Call): string {
  const family = familyOf(call);
  const fields = keywords(masked(call.body ?? {}) as Body);
  if (family && call.method === "patch") {
    const condition = call.headers["If-Match"] ? [`if_match=${python(call.headers["If-Match"])}`] : [];
    return `client.${family.attribute}.update(${[python(family.id), ...condition, ...fields].join(", ")})`;
  }
  if (family && call.method === "delete" && call.query.dry_run === undefined) {
    const cascade = call.query.cascade ? ["cascade=True"] : [];
    return `client.${family.attribute}.delete(${[python(family.id), ...cascade].join(", ")})`;
  }
  const path = python(urlOf(call).slice(BASE.length).split("?")[0]);
  const query = Object.keys(call.query).length ? [`query=${python(call.query)}`] : [];
  const body = call.body === undefined ? [] : [python(masked(call.body))];
  return `client.request(${[python(call.method.toUpperCase()), path, ...body, ...query].join(", ")})`;
}

// Nothing where the command line has no verb for it.
export function asIpam(call: Call): string | null {
  const action = call.template.slice(BASE.length);
  if (action === "/leases/{id}/release") return `ipam release ${word(call.path.id)}`;
  if (action === "/leases/{id}/reserve")
    return `ipam reserve ${[word(call.path.id), ...pairs(call)].join(" ")}`;
  if (action === "/prefixes/{prefix_id}/next-subnet") return nextSubnet(call);
  const family = familyOf(call);
  if (family && call.method === "patch")
    return `ipam update ${[family.name, word(family.id), ...pairs(call)].join(" ")}`;
  if (family && call.method === "delete") {
    const flags = Object.keys(call.query).filter((name) => call.query[name]);
    return [
      "ipam delete",
      family.name,
      word(family.id),
      ...flags.map((name) => `--${name.replace("_", "-")}`),
    ].join(" ");
  }
  const made = creationOf(call);
  return made ? ["ipam create", made.name, ...made.above, ...pairs(call)].join(" ") : null;
}

function nextSubnet(call: Call): string {
  const { prefix_length, ...rest } = call.body as Body;
  return [
    "ipam next-subnet",
    word(call.path.prefix_id),
    `/${prefix_length}`,
    ...pairs({ ...call, body: rest }),
  ].join(" ");
}

// An operation of POST /bulk, or nothing where that knows none for it.
export function asOperation(call: Call): Body | null {
  const path = urlOf(call).slice(BASE.length).split("?")[0];
  const body = call.body === undefined ? {} : { body: masked(call.body) };
  if (familyOf(call) && call.method === "patch") return { op: "update", path, ...body };
  if (familyOf(call) && call.method === "delete") {
    return { op: "delete", path: call.query.cascade ? `${path}?cascade=true` : path };
  }
  return creationOf(call) || call.template === "/api/v1/prefixes/{prefix_id}/next-subnet"
    ? { op: "create", path, ...body }
    : null;
}

// An item of a family: /pools/{id}.
function familyOf(call: Call): { name: string; attribute: string; id: string } | null {
  const found = /^\/api\/v1\/([a-z-]+)\/\{id\}$/.exec(call.template);
  if (!found?.[1] || call.path.id === undefined) return null;
  return { name: found[1], attribute: found[1].replaceAll("-", "_"), id: call.path.id };
}

// A collection, or one below an object: /subnets/{subnet_id}/pools.
function creationOf(call: Call): { name: string; above: string[] } | null {
  const found = /^\/api\/v1\/(?:[a-z-]+\/\{(\w+)\}\/)?([a-z-]+)$/.exec(call.template);
  if (call.method !== "post" || !found?.[2] || found[2] === "bulk" || found[2] === "next-subnet") return null;
  const parameter = found[1];
  if (parameter === "id") return null; // an action on an object
  return { name: found[2], above: parameter ? [`${parameter}=${word(call.path[parameter])}`] : [] };
}

function headersOf(call: Call): [string, string][] {
  return Object.entries(call.headers).filter((pair): pair is [string, string] => pair[1] !== undefined);
}

function pairs(call: Call): string[] {
  return Object.entries((masked(call.body ?? {}) ?? {}) as Body).map(([name, value]) =>
    word(`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`),
  );
}

function keywords(body: Body): string[] {
  return Object.entries(body).map(([name, value]) => `${name}=${python(value)}`);
}

function masked(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(masked);
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      SECRETS.has(name) && typeof value === "string" ? HIDDEN : masked(value),
    ]),
  );
}

export function python(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") {
    const told = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{${told.map(([name, each]) => `${JSON.stringify(name)}: ${python(each)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
}

// A word of a shell's line.
export function word(text: string | undefined): string {
  return text !== undefined && /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text ?? "");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
