// How somebody likes the console on this device.
import { createStore } from "../pure/store.ts";
import { forget, keep, read } from "./stored.ts";

export type Preferences = {
  theme: "system" | "light" | "dark";
  zone: string; // "local", "UTC" or a named zone
  compact: boolean;
  pseudo: boolean; // texts as no language has them, so that what is in no catalogue is seen
};

const USUAL: Preferences = { theme: "system", zone: "local", compact: false, pseudo: false };
export const preferences = createStore<Preferences>({ ...USUAL, ...kept() });

export function prefer(changed: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...changed });
  keep("preferences", "device", JSON.stringify(preferences.get()));
  show();
}

export function forgetPreferences(): void {
  forget("preferences");
  preferences.set(USUAL);
  show();
}

// Puts them where the style sheet sees them.
export function show(): void {
  const { theme, compact } = preferences.get();
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.rows = compact ? "compact" : "usual";
}

function kept(): Partial<Preferences> {
  try {
    return JSON.parse(read("preferences", "device") ?? "{}") as Partial<Preferences>;
  } catch {
    return {};
  }
}
