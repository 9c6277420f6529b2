// The options of the registry that can be stored. optionRows.ts is written by the build (.ci/console_build.py).
import { optionRows } from "./optionRows.ts";

export type OptionKind = {
  readonly code: number;
  readonly name: string;
  readonly kind: string;
  readonly array: boolean;
};

export const optionTable: Readonly<Record<4 | 6, readonly OptionKind[]>> = {
  4: kindsOf(optionRows[4]),
  6: kindsOf(optionRows[6]),
};

function kindsOf(rows: Readonly<Record<string, string>>): OptionKind[] {
  return Object.entries(rows).map(([code, row]) => {
    const [name = "", kind = ""] = row.split(" ");
    return { code: Number(code), name, kind: kind.replace("*", ""), array: kind.endsWith("*") };
  });
}
