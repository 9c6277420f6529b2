import { useMemo } from "react";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { type OptionKind, optionTable } from "../../pure/optionTable.ts";

// The options of a family: those of the registry, and those that somebody defined.
export function useOptionKinds(family: 4 | 6): readonly OptionKind[] {
  const query = { family, limit: 1000 } as const;
  const { data } = useAsk(call("get", "/api/v1/option-definitions", { params: { query } }));
  return useMemo(() => {
    const own = (data?.data.items ?? []).filter(({ vendor_space }) => vendor_space === null);
    const codes = new Set(own.map(({ code }) => code));
    const known = optionTable[family].filter(({ code }) => !codes.has(code));
    return [...known, ...own].sort((a, b) => a.code - b.code);
  }, [data, family]);
}
