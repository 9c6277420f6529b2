// What was read, by the call: useAsk gives it to components, and who knows what they are going to read begins it.
import { QueryClient } from "@tanstack/react-query";
import { send } from "./ask.ts";
import { type Call, keyOf } from "./calls.ts";
import { Problem } from "./problem.ts";

// A refusal stays one however often it is asked for; what failed on the way is tried twice more.
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      retry: (failures, problem) => failures < 2 && (!(problem instanceof Problem) || problem.status >= 500),
    },
  },
});

export function begin(call: Call): void {
  void queries.prefetchQuery({ queryKey: keyOf(call), queryFn: ({ signal }) => send(call, signal) });
}
