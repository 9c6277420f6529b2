import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type Words = Readonly<Record<string, string | undefined>>;

// What the URL says behind its "?", and how to change some of it; undefined or "" takes a word out. A change of what
// is typed replaces the entry of the history, others make one.
export function useUrl(): [Words, (changed: Words, how?: { replace: boolean }) => void] {
  const search = useSearch({ strict: false }) as Words;
  const navigate = useNavigate();
  const change = useCallback(
    (changed: Words, how = { replace: false }) =>
      void navigate({
        to: ".",
        search: ((before: Words) => ({ ...before, ...changed })) as never,
        replace: how.replace,
      }),
    [navigate],
  );
  return [search, change];
}

// A parameter of the route's path: the id in "/subnets/$id".
export function usePathId(name = "id"): string {
  return (useParams({ strict: false }) as Record<string, string>)[name] ?? "";
}
