// The latest events for a table: those that are accepted, the newest first. While `held`, what arrives waits.
import { useEffect, useMemo, useState } from "react";
import type { Happening, Wanted } from "../../api/events.ts";
import { arrive, emptyFeed, type Feed, release } from "../../pure/feed.ts";
import { type Followed, useEvents } from "./useEvents.ts";

export const MOST = 500; // rows that are kept

export type Live = Feed<Happening> & { readonly followed: Followed };

export function useFeed(wanted: Wanted, held: boolean, accepts: (event: Happening) => boolean): Live {
  const [feed, setFeed] = useState<Feed<Happening>>(emptyFeed);
  const followed = useEvents(wanted, (events) =>
    setFeed((now) => arrive(now, events.filter(accepts), held, MOST)),
  );
  useEffect(() => {
    if (!held) setFeed((now) => release(now, MOST));
  }, [held]);
  const shown = useMemo(() => feed.shown.filter(accepts), [feed.shown, accepts]);
  return { shown, waiting: feed.waiting, followed };
}
