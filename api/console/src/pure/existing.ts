// Objects of a plan that the server already has. They stay as they are; new objects refer to them by id.
import type { Fields, Plan, Planned } from "./plan.ts";
import { missingRefs, withIds } from "./portions.ts";
import { holds, parseNetwork } from "./space.ts";

export type Row = { readonly id: string } & Fields;
export type Difference = { readonly planned: Planned; readonly fields: readonly string[] };
// `missing`: what it refers to, which neither plan nor server has; null: it is itself a subnet that the server lacks.
export type Lost = { readonly planned: Planned; readonly missing: string | null };
export type Compared = {
  readonly wanted: readonly Planned[]; // to create
  readonly kept: readonly Planned[];
  readonly differences: readonly Difference[]; // of those kept
  readonly lost: readonly Lost[];
};
// Returns all objects of a family that the tenant has; it is called at most once per family.
export type ReadList = (family: string) => Promise<readonly Row[]>;

export async function compare(plan: Plan, tenant: string, read: ReadList): Promise<Compared> {
  const ids = new Map([["tenant", tenant]]);
  const known = new Set(["tenant"]);
  const lists = new Map<string, List>();
  const wanted: Planned[] = [];
  const kept: Planned[] = [];
  const differences: Difference[] = [];
  const lost: Lost[] = [];
  const there = new Set(plan.there);
  for (const planned of [...plan.there, ...plan.objects]) {
    const operation = withIds(planned.operation, ids);
    const [missing] = missingRefs(operation, known);
    const key = resolved(planned.key, ids);
    if (key !== null && !lists.has(planned.family)) {
      lists.set(planned.family, new List(planned.family, await read(planned.family)));
    }
    const row = key && lists.get(planned.family)?.find(key);
    if (row) {
      ids.set(planned.ref, row.id);
      const fields = differing(operation.body, row, planned.family);
      if (fields.length > 0) differences.push({ planned, fields });
      if (!there.has(planned)) kept.push(planned);
    } else if (there.has(planned)) {
      lost.push({ planned, missing: null });
      continue;
    } else if (missing !== undefined) {
      lost.push({ planned, missing });
      continue;
    } else {
      wanted.push({ ...planned, operation });
    }
    known.add(planned.ref);
  }
  return { wanted, kept, differences, lost };
}

// A key with ids; null if it refers to an object that does not exist yet.
function resolved(key: Fields, ids: ReadonlyMap<string, string>): Fields | null {
  const found = Object.entries(key).map(([name, value]) => {
    const isRef = name.endsWith("_id") && typeof value === "string" && value.startsWith("$");
    return [name, isRef ? ids.get(value.slice(1)) : value];
  });
  return found.some(([, value]) => value === undefined) ? null : Object.fromEntries(found);
}

class List {
  readonly #family: string;
  readonly #rows: readonly Row[];
  readonly #indexes = new Map<string, Map<string, Row>>();

  constructor(family: string, rows: readonly Row[]) {
    this.#family = family;
    this.#rows = rows;
  }

  find(key: Fields): Row | undefined {
    if (this.#family === "prefixes") return this.#around(String(key.cidr));
    const names = Object.keys(key);
    const name = names.join(" ");
    let index = this.#indexes.get(name);
    if (index === undefined) {
      index = new Map(this.#rows.map((row) => [valuesOf(names, row), row]));
      this.#indexes.set(name, index);
    }
    return index.get(valuesOf(names, key));
  }

  // A larger prefix of the server serves as well, because subnets need any prefix that contains them.
  #around(cidr: string): Row | undefined {
    const inner = parseNetwork(cidr);
    return this.#rows.find((row) => {
      const network = parseNetwork(String(row.cidr));
      return inner !== null && network !== null && holds(network, inner);
    });
  }
}

function valuesOf(names: readonly string[], fields: Fields): string {
  return JSON.stringify(names.map((name) => fields[name] ?? null));
}

// Names of the fields that the server has with another value. A prefix of the server may be a larger one.
function differing(body: Fields, row: Row, family: string): string[] {
  if (family === "prefixes") return [];
  return Object.keys(body).filter(
    (name) => name in row && ordered(body[name] ?? null) !== ordered(row[name] ?? null),
  );
}

// JSON with members in one order: the server keeps them in another.
function ordered(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
