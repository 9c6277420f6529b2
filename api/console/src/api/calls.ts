// A call is a value: it is shown before it is sent, logged when it is, and told as curl, Python or `ipam`.
import type { FetchOptions } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, SuccessResponseJSON } from "openapi-typescript-helpers";
import type { paths } from "./schema";

export type Method = Extract<HttpMethod, "get" | "post" | "patch" | "delete">;

export type Call<Answer = unknown> = {
  readonly method: Method;
  readonly template: keyof paths;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly answer?: Answer; // for its type alone; never set
};

type Given<P extends keyof paths, M extends Method> = M extends keyof paths[P]
  ? FetchOptions<paths[P][M]>
  : never;
type Answers<P extends keyof paths, M extends Method> = M extends keyof paths[P]
  ? // biome-ignore lint/suspicious/noExplicitAny: the helper takes any operation
    paths[P][M] extends Record<string | number, any>
    ? SuccessResponseJSON<paths[P][M]>
    : never
  : never;

// call("post", "/api/v1/leases/{id}/release", { params: { path: { id } } })
export function call<M extends Method, P extends PathsWithMethod<paths, M>>(
  method: M,
  template: P,
  ...rest: object extends Given<P, M> ? [given?: Given<P, M>] : [given: Given<P, M>]
): Call<Answers<P, M>> {
  const given = (rest[0] ?? {}) as {
    params?: Partial<Record<"path" | "query" | "header", object>>;
    body?: unknown;
  };
  return {
    method,
    template,
    path: { ...given.params?.path },
    query: { ...given.params?.query },
    headers: { ...given.params?.header },
    ...("body" in given ? { body: given.body } : {}),
  };
}

type Item = PathsWithMethod<paths, "get"> &
  PathsWithMethod<paths, "patch"> &
  PathsWithMethod<paths, "delete">;

// How one object of a family is read, changed and deleted: callsOf("/api/v1/pools/{id}").
export function callsOf<P extends Item>(template: P) {
  const path = (id: string) => ({ path: { id } });
  return {
    read: (id: string) => call("get", template, ...([{ params: path(id) }] as never)),
    update: (id: string, body: object, header: { "If-Match"?: string }) =>
      call("patch", template, ...([{ params: { ...path(id), header }, body }] as never)),
    remove: (id: string) => call("delete", template, ...([{ params: path(id) }] as never)),
  };
}

// The path with its ids, and the query behind it.
export function urlOf(call: Call): string {
  const path = call.template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path[name] ?? ""),
  );
  const query = queryOf(call);
  return query ? `${path}?${query}` : path;
}

export function queryOf(call: Call): string {
  const told = Object.entries(call.query).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(told.map(([name, value]) => [name, String(value)])).toString();
}

// Under which React Query keeps the answer to a read.
export function keyOf(call: Call): readonly string[] {
  return [call.template, JSON.stringify(call.path), queryOf(call)];
}
