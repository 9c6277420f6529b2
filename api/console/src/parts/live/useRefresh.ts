// Reads again what an event says is different: at once, and each reading at most every two minutes, however much happens,
// so that an idle page stays idle.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type Call, keyOf } from "../../api/calls.ts";
import type { Happening, Pattern } from "../../api/events.ts";
import { dueIn } from "../../pure/patience.ts";
import { type Followed, useEvents } from "./useEvents.ts";

export type Reading = { readonly of: Call; readonly upon: readonly Pattern[] };
const GAP = 120_000;

export function useRefresh(readings: readonly Reading[], tenant: { tenant_id?: string }): Followed {
  const again = useAgain();
  const type = [...new Set(readings.flatMap(({ upon }) => upon))];
  return useEvents({ type, ...tenant, past: 0 }, (events: readonly Happening[]) => {
    const types = new Set(events.map((event) => event.type));
    for (const { of, upon } of readings) if (upon.some((each) => types.has(each))) again(of);
  });
}

function useAgain(): (of: Call) => void {
  const queries = useQueryClient();
  const last = useRef(new Map<string, number>());
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
    const read = () => {
      timers.current.delete(name);
      last.current.set(name, Date.now());
      void queries.invalidateQueries({ queryKey });
    };
    timers.current.set(name, setTimeout(read, dueIn(Date.now(), last.current.get(name), GAP)));
  };
}
