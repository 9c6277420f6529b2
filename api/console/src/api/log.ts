// What this session asked of the API, the newest last. Bodies come from the calls themselves; no header is kept, so
// that no token can be.
import { createStore } from "../pure/store.ts";
import type { Call } from "./calls.ts";

export type Entry = {
  readonly no: number;
  readonly at: number; // milliseconds since 1970
  readonly method: string;
  readonly url: string; // path and query
  readonly status: number;
  readonly call?: Call; // of what changes something
};

const MOST = 1000;
export const log = createStore<readonly Entry[]>([]);
let count = 0;

export function note(method: string, url: string, status: number, call?: Call): void {
  const { pathname, search } = new URL(url, location.origin);
  count += 1;
  const entry = {
    no: count,
    at: Date.now(),
    method,
    url: pathname + search,
    status,
    ...(call ? { call } : {}),
  };
  log.set([...log.get(), entry].slice(-MOST));
}
