import "./store/code.ts"; // before the router reads the address
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { RouterProvider as AriaRouter } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { queries } from "./api/queries.ts";
import { router } from "./frame/router.tsx";
import { look } from "./session/session.ts";
import { WayIn } from "./sign-in/WayIn.tsx";
import { show } from "./store/preferences.ts";

show();
void look();
createRoot(document.getElementById("console") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <AriaRouter navigate={(to) => void router.navigate({ href: to })} useHref={(to) => `/console${to}`}>
        <WayIn>
          <RouterProvider router={router} />
        </WayIn>
      </AriaRouter>
    </QueryClientProvider>
  </StrictMode>,
);
