import { memo } from "react";
import type { Column, Editor } from "./columns.ts";

type Props<R> = {
  id: string; // of the element
  rowId: string;
  index: number;
  top: number;
  row: R;
  columns: readonly Column<R>[];
  isActive: boolean;
  isSelected: boolean | undefined; // undefined: rows cannot be selected
  onPress: (rowId: string) => void;
  onOpen: (row: R) => void;
  onToggle: (row: R) => void;
  level: number | undefined; // of a tree
  isOpen: boolean | undefined;
  onTwist: (row: R) => void;
  editor: Editor<R> | undefined;
};

function PlainRow<R>(props: Props<R>) {
  const { row, columns, isSelected, onOpen, onToggle, editor } = props;
  return (
    <div
      role="row"
      id={props.id}
      aria-rowindex={props.index + 2}
      aria-selected={isSelected}
      aria-level={props.level}
      aria-expanded={props.isOpen}
      data-active={props.isActive || undefined}
      className="table-row"
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={() => props.onPress(props.rowId)}
      onDoubleClick={() => editor === undefined && onOpen(row)}
    >
      {isSelected !== undefined && (
        <span role="gridcell" className="table-cell table-mark" onClick={() => onToggle(row)}>
          {isSelected ? "☑" : "☐"}
        </span>
      )}
      {columns.map((column, place) => (
        <span key={column.id} role="gridcell" className="table-cell">
          {place === 0 && props.level !== undefined && <Twist {...props} level={props.level} />}
          {editor?.cell(column) ?? column.cell(row)}
        </span>
      ))}
    </div>
  );
}

// What opens and closes a row of a tree by the pointer.
function Twist<R>({ row, level, isOpen, onTwist }: Props<R> & { level: number }) {
  const sign = isOpen === undefined ? "" : isOpen ? "▾" : "▸";
  return (
    <span
      className="table-twist"
      aria-hidden="true"
      style={{ marginInlineStart: `${(level - 1) * 1.25}rem` }}
      onClick={() => isOpen !== undefined && onTwist(row)}
    >
      {sign}
    </span>
  );
}

export const Row = memo(PlainRow) as typeof PlainRow;
