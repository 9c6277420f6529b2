// All words that people read stand in catalogues: frame.ts here, and `text.ts` in the folder of each screen. A text
// is a string, or a function that puts values into one; nothing else builds sentences.

// biome-ignore lint/suspicious/noExplicitAny: a text may take whatever it needs
type Text = string | ((...values: any[]) => string) | { readonly [name: string]: Text };
export type Texts = { readonly [name: string]: Text };

export function catalogue<T extends Texts>(texts: T): T {
  return texts;
}
