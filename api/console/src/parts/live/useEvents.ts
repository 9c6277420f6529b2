// What happens while something that shows it is in sight: the stream is closed when that goes, and while nobody looks at
// the tab, for browsers open only a few connections to one server.
import { useCallback, useEffect, useRef, useState } from "react";
import { type Follower, type Following, follower, type Happening, type Wanted } from "../../api/events.ts";

const TOLD_EVERY = 250; // milliseconds; a stream may bring a thousand a second

// `again` opens a stream that is lost without waiting.
export type Followed = { readonly state: Following; readonly again: () => void };

export function useEvents(wanted: Wanted, onEvents: (events: readonly Happening[]) => void): Followed {
  const [state, setState] = useState<Following>("opening");
  const follows = useRef<Follower>(undefined);
  const hear = useRef(onEvents);
  useEffect(() => {
    hear.current = onEvents;
  });
  const asked = JSON.stringify(wanted);
  useEffect(() => {
    const gathering = gatherer((events) => hear.current(events));
    const following = follower(JSON.parse(asked) as Wanted, { onEvents: gathering.add, onState: setState });
    const look = () => (document.hidden ? following.stop() : following.start());
    follows.current = following;
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      following.stop();
      gathering.stop();
    };
  }, [asked]);
  const again = useCallback(() => {
    follows.current?.stop();
    follows.current?.start();
  }, []);
  return { state, again };
}

// Tells of many together, the first of them after a moment.
function gatherer(tell: (events: readonly Happening[]) => void) {
  let gathered: Happening[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(events: readonly Happening[]) {
      gathered.push(...events);
      timer ??= setTimeout(() => {
        timer = undefined;
        tell(gathered.splice(0));
      }, TOLD_EVERY);
    },
    stop() {
      clearTimeout(timer);
      gathered = [];
    },
  };
}
