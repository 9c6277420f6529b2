// Texts as no language has them, still to be read: "[Ŝéárçh ~~]". What stands on a screen without them is in no
// catalogue. They are longer, as translations are.
const ACCENTED: Readonly<Record<string, string>> = {
  ...{ a: "á", c: "ç", e: "é", i: "í", n: "ñ", o: "ó", u: "ú", y: "ý" },
  ...{ A: "Á", C: "Ç", E: "É", I: "Í", N: "Ñ", O: "Ó", S: "Ŝ", U: "Ú", Y: "Ý" },
};
const LONGER = 5; // a sign more for so many letters

// `values` were put into the text, and stay as they are.
export function pseudo(text: string, values: readonly string[] = []): string {
  if (text === "") return text;
  const longest = values.filter(Boolean).sort((a, b) => b.length - a.length);
  return `[${accented(text, longest)} ${"~".repeat(Math.ceil(text.length / LONGER))}]`;
}

function accented(text: string, values: readonly string[]): string {
  const [value, ...others] = values;
  if (value === undefined) return [...text].map((letter) => ACCENTED[letter] ?? letter).join("");
  return text
    .split(value)
    .map((part) => accented(part, others))
    .join(value);
}

// All texts of a catalogue: strings, functions that make some, and what holds these.
export function pseudoOf<T>(texts: T): T {
  return changed(texts) as T;
}

function changed(text: unknown): unknown {
  if (typeof text === "string") return pseudo(text);
  if (typeof text === "function") return (...values: unknown[]) => filled(text as Filling, values);
  const inner = Object.entries(text as object).map(([name, each]) => [name, changed(each)]);
  return Object.fromEntries(inner);
}

type Filling = (...values: unknown[]) => string;

function filled(text: Filling, values: readonly unknown[]): string {
  const told = values.filter((value): value is string => typeof value === "string");
  return pseudo(text(...values), told);
}
