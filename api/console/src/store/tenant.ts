// The tenant that lists show and creations go to; null: all, and the default one. A token of one tenant has no choice.
import { createStore } from "../pure/store.ts";
import { forget, keep, read } from "./stored.ts";

export const tenant = createStore<string | null>(read("tenant", "tab"));

export function chooseTenant(id: string | null): void {
  if (id === null) forget("tenant");
  else keep("tenant", "tab", id);
  tenant.set(id);
}
