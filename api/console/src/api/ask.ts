// Sends calls, and gives React the answers to reads.
import { type UseQueryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import createClient from "openapi-fetch";
import { type Call, keyOf, queryOf, urlOf } from "./calls.ts";
import { note } from "./log.ts";
import { Problem } from "./problem.ts";
import type { paths } from "./schema";
import { transport } from "./transport.ts";

const client = createClient<paths>({ baseUrl: location.origin, fetch: transport });

export type Sent<A> = { data: A; etag: string | null; status: number };

// Raises Problem when the API refuses or fails.
export async function send<A>(call: Call<A>, signal?: AbortSignal): Promise<Sent<A>> {
  const { data, error, response } = await client.request(
    call.method as never,
    call.template as never,
    {
      params: { path: call.path, query: call.query },
      headers: call.headers,
      ...(call.body === undefined ? {} : { body: call.body }),
      querySerializer: () => queryOf(call),
      signal,
    } as never,
  );
  if (call.method !== "get") note(call.method.toUpperCase(), urlOf(call), response.status, call);
  if (!response.ok) throw new Problem(response.status, error);
  return { data: data as A, etag: response.headers.get("etag"), status: response.status };
}

// The answer to a read, with its entity tag. `null` asks nothing.
export function useAsk<A>(
  call: Call<A> | null,
  options: Partial<UseQueryOptions<Sent<A>, Problem>> = {},
): UseQueryResult<Sent<A>, Problem> {
  return useQuery<Sent<A>, Problem>({
    queryKey: call === null ? ["nothing"] : keyOf(call),
    queryFn: ({ signal }) => send(call as Call<A>, signal),
    enabled: call !== null,
    ...options,
  });
}
