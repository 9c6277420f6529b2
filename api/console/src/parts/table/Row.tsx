import { memo } from "react";
import type { Column } from "./columns.ts";

type Props<R> = {
  id: string;
  index: number;
  top: number;
  row: R;
  columns: readonly Column<R>[];
  isActive: boolean;
  isSelected: boolean | undefined; // undefined: rows cannot be selected
  onPress: () => void;
  onOpen: ((row: R) => void) | undefined;
  onToggle: (row: R) => void;
};

function PlainRow<R>(props: Props<R>) {
  const { row, columns, isSelected, onOpen, onToggle } = props;
  return (
    <div
      role="row"
      id={props.id}
      aria-rowindex={props.index + 2}
      aria-selected={isSelected}
      data-active={props.isActive || undefined}
      className="table-row"
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={props.onPress}
      onDoubleClick={() => onOpen?.(row)}
    >
      {isSelected !== undefined && (
        <span role="gridcell" className="table-cell table-mark" onClick={() => onToggle(row)}>
          {isSelected ? "☑" : "☐"}
        </span>
      )}
      {columns.map((column) => (
        <span key={column.id} role="gridcell" className="table-cell">
          {column.cell(row)}
        </span>
      ))}
    </div>
  );
}

export const Row = memo(PlainRow) as typeof PlainRow;
