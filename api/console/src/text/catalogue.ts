// All words that people read stand in catalogues: frame.ts here, and `text.ts` in the folder of each screen. A text
// is a string, or a function that puts values into one; nothing else builds sentences.
import { pseudoOf } from "../pure/pseudo.ts";
import { preferences } from "../store/preferences.ts";

// biome-ignore lint/suspicious/noExplicitAny: a text may take whatever it needs
type Text = string | ((...values: any[]) => string) | { readonly [name: string]: Text };
export type Texts = { readonly [name: string]: Text };

// Catalogues are read once, when the page is loaded.
const isPseudo =
  preferences.get().pseudo || (import.meta.env.DEV && new URLSearchParams(location.search).has("pseudo"));

export function catalogue<T extends Texts>(texts: T): T {
  return isPseudo ? pseudoOf(texts) : texts;
}
