// Tables as text: rows of cells behind a separator, quoted where they hold it, each with the line where it begins.

export type CsvRow = { readonly line: number; readonly cells: readonly string[] };
export const SEPARATORS = [",", ";", "\t", "|"] as const;

// A quote that nothing closes.
export class OpenQuote extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`line ${line}`);
    this.line = line;
  }
}

// The one by which a line has most cells; the comma where there is none.
export function separatorOf(line: string): string {
  const counts = SEPARATORS.map((each) => line.split(each).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}

// Rows that are not empty, cells without what is blank around them. Throws OpenQuote.
export function rowsOf(text: string, separator: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const place: Place = { text, separator, at: 0, line: 1 };
  while (place.at < text.length) {
    const { line } = place;
    const cells = readRow(place);
    if (cells.some((cell) => cell !== "")) rows.push({ line, cells });
  }
  return rows;
}

type Place = { readonly text: string; readonly separator: string; at: number; line: number };

function readRow(place: Place): string[] {
  const cells: string[] = [];
  for (;;) {
    cells.push(unguarded(readCell(place).trim()));
    const end = place.text[place.at];
    place.at += 1;
    if (end === place.separator) continue;
    if (end === "\r" && place.text[place.at] === "\n") place.at += 1;
    place.line += 1;
    return cells;
  }
}

// Without the apostrophe that keeps a spreadsheet from taking the cell for a formula (decisions: CSV).
export function unguarded(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

function readCell(place: Place): string {
  const { text, separator } = place;
  while (text[place.at] === " " && separator !== " ") place.at += 1;
  const quoted = text[place.at] === '"' ? readQuoted(place) : "";
  const start = place.at;
  while (place.at < text.length && !isEnd(text[place.at], separator)) place.at += 1;
  return quoted + text.slice(start, place.at);
}

function isEnd(character: string | undefined, separator: string): boolean {
  return character === separator || character === "\n" || character === "\r";
}

// From one quote to the other; two within are one.
function readQuoted(place: Place): string {
  const { text } = place;
  const { line } = place;
  let found = "";
  for (;;) {
    const end = text.indexOf('"', place.at + 1);
    if (end < 0) throw new OpenQuote(line);
    const part = text.slice(place.at + 1, end);
    place.line += part.split("\n").length - 1;
    found += part;
    place.at = end + 1;
    if (text[place.at] !== '"') return found;
    found += '"';
  }
}
