// What of a plan is missing on the server, as operations of POST /bulk. An import only makes: what is there already stays
// as it is, and what is new stands in it by its id.
import { octets } from "./mentions.ts";
import { type Family, type Fields, isManaged, labelOf, type Plan, type Planned } from "./plan.ts";
import { formatNetwork, holds, parseNetwork } from "./space.ts";

export type Operation = {
  readonly op: "create";
  readonly path: string;
  readonly body: Fields;
  readonly ref: string;
};
export type Step = {
  readonly ref: string;
  readonly family: Family;
  readonly line: number;
  readonly file: string;
  readonly what: string;
  readonly isManaged: boolean;
  readonly operation: Operation;
};
export type Row = { readonly id: string } & Readonly<Record<string, unknown>>;
// What the tenant has, by family; families that nobody asked for are left out.
export type There = Readonly<Partial<Record<Family, readonly Row[]>>>;
// An object that names a class that is nowhere, or (null) stands in such a one.
export type Lost = { readonly planned: Planned; readonly named: string | null };
export type Steps = {
  readonly missing: readonly Step[];
  readonly kept: readonly Planned[]; // there already
  readonly lost: readonly Lost[];
};

const BELOW: Readonly<Record<string, readonly Family[]>> = {
  subnets: ["excludes", "pools", "reservations", "options"],
  pools: ["options"],
  reservations: ["options"],
  "client-classes": ["options"],
};
const IDENTITIES = ["mac", "duid", "client_id", "circuit_id", "remote_id", "subscriber_id"];
const PARENTS = ["subnet_id", "pool_id", "class_id", "reservation_id"];

export function stepsOf(plan: Plan, there: There, tenant: string): Steps {
  const known = new Known(there);
  const families = new Map(plan.objects.map(({ ref, family }) => [ref, family]));
  const found = { missing: [] as Step[], kept: [] as Planned[], lost: [] as Lost[] };
  for (const planned of plan.objects) {
    const above = planned.inside ? families.get(planned.inside) : undefined;
    const parent = planned.inside ? known.places.get(planned.inside) : undefined;
    const named = above && parent === undefined ? null : known.unknownClass(planned);
    if (named !== undefined) {
      found.lost.push({ planned, named });
      continue;
    }
    const id = known.find(planned, parent);
    if (id === undefined) found.missing.push(stepOf(planned, known, above, parent, tenant));
    else found.kept.push(planned);
    known.keep(planned, id ?? `$${planned.ref}`);
  }
  return found;
}

// What is there, and how later operations name what stands before them: by an id, or by $ref.
class Known {
  readonly places = new Map<string, string>();
  readonly classes = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  readonly #prefixes;

  constructor(there: There) {
    for (const [family, rows] of Object.entries(there)) {
      for (const row of rows) this.#ids.set(keyOf(family as Family, row, parentOf(family, row)), row.id);
    }
    for (const row of there["client-classes"] ?? []) this.classes.set(String(row.name), row.id);
    this.#prefixes = (there.prefixes ?? []).map((row) => ({
      id: row.id,
      network: parseNetwork(String(row.cidr)),
    }));
  }

  find(planned: Planned, parent: string | undefined): string | undefined {
    if (planned.family === "prefixes") return this.#around(String(planned.fields.cidr));
    if (parent?.startsWith("$")) return undefined;
    return this.#ids.get(keyOf(planned.family, planned.fields, parent));
  }

  unknownClass({ fields }: Planned): string | undefined {
    return typeof fields.class === "string" && !this.classes.has(fields.class) ? fields.class : undefined;
  }

  keep(planned: Planned, place: string): void {
    this.places.set(planned.ref, place);
    if (planned.family === "client-classes") this.classes.set(String(planned.fields.name), place);
  }

  // A prefix that is there already holds a smaller one as well.
  #around(cidr: string): string | undefined {
    const wanted = parseNetwork(cidr);
    if (wanted === null) return undefined;
    return this.#prefixes.find(({ network }) => network !== null && holds(network, wanted))?.id;
  }
}

// Options hang on one of several; a class of other objects is not what they stand in.
function parentOf(family: string, row: Row): string | undefined {
  const names = family === "options" ? PARENTS : ["subnet_id"];
  return names.map((name) => row[name]).find((id) => typeof id === "string") as string | undefined;
}

// By what an object of a plan is one of the server.
function keyOf(family: Family, fields: Fields, parent: string | undefined): string {
  const told = (...names: string[]) => names.map((name) => fields[name] ?? "").join(" ");
  switch (family) {
    case "prefixes":
    case "subnets":
      return `${family} ${networkOf(fields.cidr)}`;
    case "pools":
    case "excludes":
      return `${family} ${parent} ${told("start_ip", "end_ip", "prefix")}`;
    case "reservations":
      return `${family} ${parent} ${identityOf(fields)}`;
    case "assignments":
      return `${family} ${parent} ${told("ip")}`;
    case "options":
      return `${family} ${parent} ${fields.family ?? 4} ${told("code", "vendor_class")}`;
    case "option-definitions":
      return `${family} ${fields.family ?? 4} ${told("code", "vendor_space")}`;
    default:
      return `${family} ${told("name")}`;
  }
}

function networkOf(cidr: unknown): string {
  const network = parseNetwork(String(cidr));
  return network === null ? String(cidr) : formatNetwork(network);
}

function identityOf(fields: Fields): string {
  const name = IDENTITIES.find((each) => fields[each]);
  if (name === undefined) return "";
  const value = String(fields[name]);
  return `${name} ${IDENTITIES.indexOf(name) < 3 ? (octets(value) ?? value) : value}`;
}

function stepOf(
  planned: Planned,
  known: Known,
  above: Family | undefined,
  parent: string | undefined,
  tenant: string,
): Step {
  const { ref, family, line, file = "", fields } = planned;
  const { class: named, ...rest } = fields;
  const of = typeof named === "string" ? { class_id: known.classes.get(named) } : {};
  const { path, where } = placeOf(family, above, parent, tenant);
  const operation = { op: "create" as const, path, body: { ...rest, ...of, ...where }, ref };
  return { ref, family, line, file, what: labelOf(planned), isManaged: isManaged(planned), operation };
}

// Where it is made, and what its body says of that.
function placeOf(family: Family, above: Family | undefined, parent: string | undefined, tenant: string) {
  if (above && BELOW[above]?.includes(family)) return { path: `/${above}/${parent}/${family}`, where: {} };
  if (family === "subnets") return { path: "/subnets", where: { prefix_id: parent } };
  if (family === "assignments") return { path: "/assignments", where: { subnet_id: parent } };
  if (family === "options") return { path: "/global-options", where: { tenant_id: tenant } };
  return { path: `/${family}`, where: { tenant_id: tenant } };
}
