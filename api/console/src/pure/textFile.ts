// As much of a file as is read; `ipam import` has the same limit.
export const MOST_OCTETS = 64 * 1024 * 1024;

// The text of a file: UTF-8, or UTF-16 where it begins with its mark, as spreadsheets and PowerShell write it. Null: it
// is none.
export function textOf(octets: Uint8Array): string | null {
  const [first, second] = octets;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(octets);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
