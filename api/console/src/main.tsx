import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { RouterProvider as AriaRouter } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { Problem } from "./api/problem.ts";
import { router } from "./frame/router.tsx";
import { show } from "./session/preferences.ts";
import { look } from "./session/session.ts";
import { WayIn } from "./session/WayIn.tsx";

// A refusal stays one however often it is asked for; what failed on the way is tried twice more.
const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      retry: (failures, problem) => failures < 2 && (!(problem instanceof Problem) || problem.status >= 500),
    },
  },
});

show();
void look();
createRoot(document.getElementById("console") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <AriaRouter navigate={(to) => void router.navigate({ href: to })} useHref={(to) => `/console${to}`}>
        <WayIn>
          <RouterProvider router={router} />
        </WayIn>
      </AriaRouter>
    </QueryClientProvider>
  </StrictMode>,
);
