// Which columns of a table are shown: those that the URL names, else those that somebody chose on this device.
import { useMemo } from "react";
import { columnsIn } from "../../pure/views.ts";
import { useStore } from "../useStore.ts";
import { useUrl } from "../useUrl.ts";
import { type Column, chooseColumns, chosenColumns, shownColumns } from "./columns.ts";

export function useColumns<R>(table: string, columns: readonly Column<R>[]) {
  const [{ columns: word }, change] = useUrl();
  const kept = useStore(chosenColumns(table));
  const named = useMemo(() => {
    const ids = columnsIn(word, table);
    return columns.some(({ id }) => ids?.includes(id)) ? ids : null;
  }, [word, table, columns]);
  const chosen = named ?? kept;
  return {
    shown: useMemo(() => shownColumns(columns, chosen), [columns, chosen]),
    chosen,
    choose(ids: readonly string[]) {
      chooseColumns(table, ids);
      if (named) change({ columns: undefined }, { replace: true });
    },
  };
}
