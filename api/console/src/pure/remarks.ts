// Remarks of an answer on single records, as lines to be listed: what was not taken, and what is probably a mistake.

export type Remark = {
  readonly name: string;
  readonly type: string;
  readonly data?: string;
  readonly reason: string;
};

// `about`: the record, `why`: the reason as a sentence of its own. `more`: remarks that are not listed.
export type Lines = {
  readonly lines: readonly { readonly about: string; readonly why: string }[];
  readonly more: number;
};

export const MOST_LISTED = 100;

export function linesOf(remarks: readonly Remark[], most = MOST_LISTED): Lines {
  const lines = remarks.slice(0, most).map(({ name, type, data, reason }) => ({
    about: [name, type, data].filter(Boolean).join(" "),
    why: reason,
  }));
  return { lines, more: remarks.length - lines.length };
}
