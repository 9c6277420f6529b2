// The token of this tab. It is in memory, in the tab's storage, on this device only if asked, and never in a URL.
import { createStore } from "../pure/store.ts";
import { forget, type Kept, keep, read } from "./stored.ts";

export const token = createStore<string | null>(read("token", "tab") ?? read("token", "device"));

export function takeToken(secret: string, kept: Kept): void {
  forget("token");
  keep("token", kept, secret);
  token.set(secret);
}

export function dropToken(): void {
  forget("token");
  token.set(null);
}
