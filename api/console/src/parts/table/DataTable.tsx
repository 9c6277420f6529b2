// A table of any length: only rows in sight are in the document. Up, Down, PageUp, PageDown, Home and End move, Space
// selects, Enter opens, F2 changes a row in its place. The table has the focus and says which of its rows is active.
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { moved, scrollFor, windowOf } from "../../pure/window.ts";
import { preferences } from "../../store/preferences.ts";
import { text } from "../../text/frame.ts";
import { useStore } from "../useStore.ts";
import type { Column, Editor } from "./columns.ts";
import { Row } from "./Row.tsx";
import { useColumns } from "./useColumns.ts";
import type { Rows } from "./useRows.ts";

export type DataTableProps<R> = {
  readonly name: string; // its columns are kept under this
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: Rows<R>;
  readonly idOf: (row: R) => string;
  readonly onOpen?: (row: R) => void;
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (ids: ReadonlySet<string>) => void;
  readonly empty?: ReactNode;
  readonly tree?: Tree<R>;
  readonly onEdit?: (row: R) => void;
  readonly editor?: Editor<R> | undefined;
};

// Rows that stand below others: Right opens a row, Left closes it.
export type Tree<R> = {
  readonly level: (row: R) => number; // from 1
  readonly open: (row: R) => boolean | undefined; // undefined: nothing can stand below
  readonly onToggle: (row: R) => void;
};
const OPENING: Record<string, boolean> = { ArrowRight: true, ArrowLeft: false };

const MARGIN = 50; // rows before the end at which the next page is asked for

export function DataTable<R>(props: DataTableProps<R>) {
  const { rows, idOf, selected, onSelect, onOpen } = props;
  const acts = useActs(props);
  const id = useId();
  const columns = useColumns(props.name, props.columns).shown;
  const view = useView(rows.rows.length);
  const [activeId, setActiveId] = useState<string>();
  useEdited(props.editor?.id, setActiveId, view.ref);
  // A row that is gone leaves the place to its neighbour; one that came above it moves it along.
  const found = rows.rows.findIndex((row) => idOf(row) === activeId);
  const active = Math.max(0, found);
  const { first, end } = view.window;

  useEffect(() => {
    if (end + MARGIN >= rows.rows.length) rows.loadMore();
  }, [end, rows]);

  function go(index: number) {
    const row = rows.rows[index];
    if (row === undefined) return;
    setActiveId(idOf(row));
    view.show(index);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return; // it is of a field or link in a row
    const to = moved(event.key, active, rows.rows.length, view.page);
    const row = rows.rows[active];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const opening = OPENING[event.key];
    if (to !== null) go(to);
    else if (props.tree && row !== undefined && opening !== undefined) {
      if (props.tree.open(row) === !opening) props.tree.onToggle(row);
    } else if (event.key === " " && row !== undefined) acts.toggle(row);
    else if (event.key === "Enter" && row !== undefined) onOpen?.(row);
    else if (event.key === "F2" && row !== undefined) props.onEdit?.(row);
    else return;
    event.preventDefault();
  }

  const widths = columns.map(({ width }) => width ?? "minmax(8rem, 1fr)");
  const template = (onSelect ? ["2.5rem", ...widths] : widths).join(" ");
  return (
    <div
      role={props.tree ? "treegrid" : "grid"}
      aria-label={props.label}
      aria-rowcount={rows.more ? -1 : rows.rows.length + 1}
      aria-colcount={columns.length}
      aria-multiselectable={onSelect ? true : undefined}
      aria-activedescendant={rows.rows.length ? `${id}-${active}` : undefined}
      aria-busy={rows.loading}
      tabIndex={0}
      className="table-window"
      ref={view.ref}
      onScroll={view.onScroll}
      onKeyDown={onKeyDown}
      style={{ "--columns": template } as never}
    >
      <div role="row" aria-rowindex={1} className="table-row table-head">
        {onSelect && <span role="columnheader" aria-label={text.keys.select} className="table-cell" />}
        {columns.map((column) => (
          <span key={column.id} role="columnheader" className="table-cell">
            {column.title}
          </span>
        ))}
      </div>
      <div role="rowgroup" className="table-body" style={{ height: rows.rows.length * view.row }}>
        {rows.rows.slice(first, end).map((row, offset) => (
          <Row
            key={idOf(row)}
            id={`${id}-${first + offset}`}
            index={first + offset}
            top={(first + offset) * view.row}
            row={row}
            columns={columns}
            isActive={first + offset === active}
            isSelected={onSelect ? (selected?.has(idOf(row)) ?? false) : undefined}
            rowId={idOf(row)}
            onPress={setActiveId}
            onOpen={acts.open}
            onToggle={acts.toggle}
            level={props.tree?.level(row)}
            isOpen={props.tree?.open(row)}
            onTwist={acts.twist}
            editor={props.editor?.id === idOf(row) ? props.editor : undefined}
          />
        ))}
      </div>
      {rows.rows.length === 0 && !rows.loading && (
        <p className="table-cell">{props.empty ?? text.table.empty}</p>
      )}
    </div>
  );
}

// What is done with a row. The functions stay the same, so that rows are drawn again only when they differ.
function useActs<R>(props: DataTableProps<R>) {
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const [acts] = useState(() => ({
    open: (row: R) => latest.current.onOpen?.(row),
    twist: (row: R) => latest.current.tree?.onToggle(row),
    toggle: (row: R) => {
      const { selected, onSelect, idOf } = latest.current;
      if (selected === undefined || onSelect === undefined) return;
      const next = new Set(selected);
      if (!next.delete(idOf(row))) next.add(idOf(row));
      onSelect(next);
    },
  }));
  return acts;
}

// A row that is changed is the active one; when it is left, the table has the focus again.
function useEdited(
  id: string | undefined,
  activate: (id: string) => void,
  table: RefObject<HTMLDivElement | null>,
) {
  const before = useRef(id);
  useEffect(() => {
    if (id !== undefined) activate(id);
    else if (before.current !== undefined) table.current?.focus();
    before.current = id;
  }, [id, activate, table]);
}

// What is in sight of so many rows.
function useView(count: number) {
  const ref = useRef<HTMLDivElement>(null);
  const { compact } = useStore(preferences);
  const [place, setPlace] = useState({ top: 0, height: 600, row: 36 });
  const { top, height, row } = place;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `compact` changes the height of rows in the style sheet
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () =>
      setPlace((now) => ({
        ...now,
        height: element.clientHeight,
        row: element.querySelector(".table-head")?.getBoundingClientRect().height ?? now.row,
      }));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [compact]);

  return {
    ref,
    row,
    page: Math.max(1, Math.floor(height / row) - 2),
    window: windowOf(top, height, row, count),
    onScroll: () => setPlace((now) => ({ ...now, top: ref.current?.scrollTop ?? 0 })),
    show: (index: number) => {
      const to = scrollFor(index, ref.current?.scrollTop ?? 0, height, row, row);
      if (to !== null) ref.current?.scrollTo({ top: to });
    },
  };
}
