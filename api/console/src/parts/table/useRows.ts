// The rows of a list of the API, page after page as they are needed, by the list's own cursors.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { send } from "../../api/ask.ts";
import { type Call, keyOf } from "../../api/calls.ts";
import type { Problem } from "../../api/problem.ts";

type Page<Row> = { items: Row[]; next_cursor: string | null };
type ReadPage<Row> = Page<Row> & { readAt: number };

export type Rows<Row> = {
  readonly rows: readonly Row[];
  readonly more: boolean; // there are more than are loaded
  readonly loading: boolean;
  readonly problem: Problem | null;
  readonly readAt: number; // when the first of them were, in milliseconds since 1970; 0: not yet
  readonly loadMore: () => void;
  readonly reload: () => void;
};

const LIMIT = 200;

export function useRows<Row>(list: Call<Page<Row>>, refetchInterval?: number): Rows<Row> {
  const query = useInfiniteQuery<
    ReadPage<Row>,
    Problem,
    { pages: ReadPage<Row>[] },
    readonly string[],
    string | null
  >({
    queryKey: keyOf(list),
    initialPageParam: null,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await send(page(list, pageParam), signal);
      return { ...data, readAt: Date.now() };
    },
    getNextPageParam: (last) => last.next_cursor,
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
  });
  const rows = useMemo(() => (query.data?.pages ?? []).flatMap((each) => each.items), [query.data]);
  const { hasNextPage, isFetching, fetchNextPage, refetch } = query;
  return {
    rows,
    more: hasNextPage,
    loading: isFetching,
    problem: query.error,
    readAt: query.data?.pages[0]?.readAt ?? 0,
    loadMore: () => {
      if (hasNextPage && !isFetching) void fetchNextPage();
    },
    reload: () => void refetch(),
  };
}

function page<Row>(list: Call<Page<Row>>, cursor: string | null): Call<Page<Row>> {
  return { ...list, query: { limit: LIMIT, ...list.query, ...(cursor === null ? {} : { cursor }) } };
}
