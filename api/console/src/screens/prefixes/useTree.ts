// The rows that the URL asks for: a tree, or what a search and "All subnets" find, flat.
import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { send } from "../../api/ask.ts";
import { call, keyOf } from "../../api/calls.ts";
import type { Rows } from "../../parts/table/useRows.ts";
import { useRows } from "../../parts/table/useRows.ts";
import { useTenant } from "../../parts/useSession.ts";
import type { Words } from "../../parts/useUrl.ts";
import { identify } from "../../pure/identify.ts";
import type { ListedPrefix, Subnet, TreeRow } from "./rows.tsx";

const PAGE = 500; // subnets below a prefix that are loaded at once

export function useTree(words: Words) {
  const { prefixes, subnets } = useLists(words);
  const open = useMemo(() => (words.open ?? "").split(",").filter(Boolean), [words.open]);
  const found = useRows<ListedPrefix>(prefixes);
  const [pages, setPages] = useState<Readonly<Record<string, number>>>({});
  const flat = words.as === "list" || Boolean(words.q);
  const below = useSubnetsOf(flat ? [] : open, words, pages);
  const listed = useRows<Subnet>(subnets);
  const rows = useMemo(() => {
    if (!flat)
      return found.rows.flatMap((prefix) => branch(prefix, open.includes(prefix.id), below[prefix.id]));
    const shown = words.as === "list" ? [] : found.rows;
    return [
      ...shown.flatMap((prefix) => branch(prefix, false, undefined)),
      ...listed.rows.map((each) => leaf(each, 1)),
    ];
  }, [flat, found.rows, listed.rows, open, below, words.as]);
  return {
    list: flat ? subnets : prefixes,
    open,
    rows: { ...(flat ? listed : found), rows } satisfies Rows<TreeRow>,
    loadMore: (id: string) => setPages((now) => ({ ...now, [id]: (now[id] ?? 1) + 1 })),
  };
}

// What somebody typed narrows both lists: an address to what holds it, a network to what lies in it, words by search.
function useLists(words: Words) {
  const tenant = useTenant();
  const typed = identify(words.q ?? "");
  const narrowed =
    typed === null
      ? {}
      : typed.kind === "ip"
        ? { contains: typed.value }
        : typed.kind === "within"
          ? { within: typed.value }
          : { q: words.q };
  const query = { ...(words.family ? { family: words.family } : {}), ...narrowed, ...tenant } as never;
  const sort = (words.sort ?? "cidr") as never;
  return {
    prefixes: call("get", "/api/v1/prefixes", { params: { query } }),
    subnets: call("get", "/api/v1/subnets", { params: { query: { ...(query as object), sort } } }),
  };
}

type Below = Readonly<Record<string, { items: Subnet[]; more: boolean } | undefined>>;

function useSubnetsOf(
  prefixIds: readonly string[],
  words: Words,
  pages: Readonly<Record<string, number>>,
): Below {
  const sort = (words.sort ?? "cidr") as never;
  return useQueries({
    queries: prefixIds.map((prefix_id) => {
      const asked = call("get", "/api/v1/subnets", { params: { query: { prefix_id, sort, limit: PAGE } } });
      const count = pages[prefix_id] ?? 1;
      return {
        queryKey: [...keyOf(asked), count],
        queryFn: ({ signal }: { signal: AbortSignal }) => firstPages(asked, count, signal),
        placeholderData: (before: { items: Subnet[]; more: boolean } | undefined) => before,
      };
    }),
    combine: (answers) =>
      Object.fromEntries(prefixIds.map((id, at) => [id, answers[at]?.data as Below[string]])) as Below,
  });
}

export type SubnetsCall = ReturnType<typeof subnetsCall>;
const subnetsCall = () => call("get", "/api/v1/subnets");

export async function firstPages(asked: SubnetsCall, count: number, signal: AbortSignal) {
  const items: Subnet[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < count; page++) {
    const query: SubnetsCall["query"] = { ...asked.query, ...(cursor === null ? {} : { cursor }) };
    const { data }: { data: { items: Subnet[]; next_cursor: string | null } } = await send(
      { ...asked, query },
      signal,
    );
    items.push(...data.items);
    cursor = data.next_cursor;
    if (cursor === null) break;
  }
  return { items, more: cursor !== null };
}

function branch(prefix: ListedPrefix, open: boolean, below: Below[string]): TreeRow[] {
  const own: TreeRow = { kind: "prefix", id: prefix.id, open, prefix };
  if (!open || below === undefined) return [own];
  const more: TreeRow[] = below.more ? [{ kind: "more", id: `${prefix.id}+`, prefixId: prefix.id }] : [];
  return [own, ...below.items.map((each) => leaf(each, 2)), ...more];
}

function leaf(subnet: Subnet, level: number): TreeRow {
  return { kind: "subnet", id: subnet.id, level, subnet };
}
