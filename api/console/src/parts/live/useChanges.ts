// How many events since a reading tell of something that it does not show. It is not read again by itself, so that what
// stands under a hand stays where it is.
import { useState } from "react";
import type { Happening, Pattern } from "../../api/events.ts";
import { isTold } from "../../pure/patience.ts";
import { useTenant } from "../useSession.ts";
import { type Followed, useEvents } from "./useEvents.ts";

export type Watch = {
  readonly type: readonly Pattern[];
  readonly concerns?: (event: Happening) => boolean; // all, unless said
};

// `readAt`: the moment of the reading.
export function useChanges({ type, concerns = () => true }: Watch, readAt: number): [number, Followed] {
  const [since, setSince] = useState({ readAt, count: 0 });
  const followed = useEvents({ type, ...useTenant(), past: 0 }, (events) => {
    const fresh = events.filter((event) => concerns(event) && !isTold(event.timestamp, readAt, Date.now()));
    if (fresh.length > 0) setSince((now) => ({ ...now, count: now.count + fresh.length }));
  });
  if (since.readAt !== readAt) setSince({ readAt, count: 0 });
  return [since.readAt === readAt ? since.count : 0, followed];
}
