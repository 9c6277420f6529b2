// Reads again what an event says is different: at once, and however much happens, each reading at most every two minutes
// and two of all in a minute, so that an idle page stays idle.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type Call, keyOf } from "../../api/calls.ts";
import type { Happening, Pattern } from "../../api/events.ts";
import { dueIn } from "../../pure/patience.ts";
import { type Followed, useEvents } from "./useEvents.ts";

export type Reading = { readonly of: Call; readonly upon: readonly Pattern[] };
const GAP = 120_000;
const PACE = 40_000;

export function useRefresh(readings: readonly Reading[], tenant: { tenant_id?: string }): Followed {
  const again = useAgain();
  useReturn(readings);
  const type = [...new Set(readings.flatMap(({ upon }) => upon))];
  return useEvents({ type, ...tenant, past: 0 }, (events: readonly Happening[]) => {
    const types = new Set(events.map((event) => event.type));
    for (const { of, upon } of readings) if (upon.some((each) => types.has(each))) again(of);
  });
}

function useAgain(): (of: Call) => void {
  const queries = useQueryClient();
  const last = useRef(new Map<string, number>());
  const lastOfAll = useRef<number>(undefined);
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  useEffect(() => {
    const waiting = timers.current;
    return () => {
      for (const timer of waiting.values()) clearTimeout(timer);
    };
  }, []);
  return (of) => {
    const queryKey = keyOf(of);
    const name = queryKey.join(" ");
    if (timers.current.has(name)) return;
    const now = Date.now();
    const due = now + Math.max(dueIn(now, last.current.get(name), GAP), dueIn(now, lastOfAll.current, PACE));
    last.current.set(name, due);
    lastOfAll.current = due;
    const read = () => {
      timers.current.delete(name);
      void queries.invalidateQueries({ queryKey });
    };
    timers.current.set(name, setTimeout(read, due - now));
  };
}

// Who comes back to the tab sees what is so now: while nobody looked, no event was heard.
function useReturn(readings: readonly Reading[]): void {
  const queries = useQueryClient();
  const read = useRef(readings);
  useEffect(() => {
    read.current = readings;
  });
  useEffect(() => {
    const look = () => {
      if (document.hidden) return;
      for (const { of } of read.current) void queries.invalidateQueries({ queryKey: keyOf(of) });
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [queries]);
}
