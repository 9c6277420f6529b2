// Prefixes and subnets as a tree with their utilization. One opens beside the tree, with its map and
// actions.
import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import { DataTable } from "../../parts/table/DataTable.tsx";
import { TableTools } from "../../parts/table/TableTools.tsx";
import { useMay } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { Filters } from "./Filters.tsx";
import { NewPrefix } from "./NewPrefix.tsx";
import { PrefixDrawer } from "./PrefixDrawer.tsx";
import { columns, type TreeRow } from "./rows.tsx";
import { text } from "./text.ts";
import { useTree } from "./useTree.ts";

export default function Prefixes() {
  const [words, change] = useUrl();
  const navigate = useNavigate();
  const mayWrite = useMay("write");
  const { rows, list, open, loadMore } = useTree(words);
  const close = () => change({ prefix: undefined, at: undefined, steps: undefined, act: undefined });

  function show(row: TreeRow) {
    if (row.kind === "prefix") change({ prefix: row.id });
    else if (row.kind === "more") loadMore(row.prefixId);
    else void navigate({ to: `/subnets/${row.id}` as never });
  }

  function toggle(row: TreeRow) {
    if (row.kind !== "prefix") return;
    const others = open.filter((id) => id !== row.id);
    change({ open: (row.open ? others : [...others, row.id]).join(",") }, { replace: true });
  }

  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Filters words={words} change={change} />
      <TableTools name="prefixes" columns={columns} rows={rows} list={list}>
        {mayWrite && (
          <Button className="small" onPress={() => change({ prefix: "new" })}>
            {text.newPrefix}
          </Button>
        )}
      </TableTools>
      <DataTable
        name="prefixes"
        label={text.title}
        columns={columns}
        rows={rows}
        idOf={(row) => row.id}
        onOpen={show}
        tree={{
          level: (row) => (row.kind === "prefix" ? 1 : row.kind === "subnet" ? row.level : 2),
          open: (row) => (row.kind === "prefix" ? row.open : undefined),
          onToggle: toggle,
        }}
      />
      {words.prefix === "new" && mayWrite && <NewPrefix onClose={close} />}
      {words.prefix && words.prefix !== "new" && (
        <PrefixDrawer key={words.prefix} id={words.prefix} onClose={close} />
      )}
    </div>
  );
}
