// The routes of all screens. What a screen shows (filters, tab, range of time) stands in the URL, as plain words.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { begin } from "../api/queries.ts";
import { screens } from "../screens/all.ts";
import { text } from "../text/frame.ts";
import { Frame } from "./Frame.tsx";

const root = createRootRoute({
  component: Frame,
  notFoundComponent: () => <p>{text.nothingHere}</p>,
  validateSearch: (search: Record<string, unknown>) => search as Record<string, string>,
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ href: firstPlace() });
  },
});

const routes = screens.flatMap((screen) =>
  screen.routes.map(({ path, load, reads }) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyRouteComponent(load),
      loader: ({ params, location, preload }) => {
        if (preload) return; // somebody may go there, or not
        const { id = "" } = params as { id?: string };
        for (const each of reads?.(id, location.search) ?? []) begin(each);
      },
    }),
  ),
);

export const router = createRouter({
  routeTree: root.addChildren([start, ...routes]),
  basepath: "/console",
  defaultPreload: "intent",
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const told = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const words = new URLSearchParams(told as [string, string][]).toString();
    return words ? `?${words}` : "";
  },
});

function firstPlace(): string {
  const first = screens.find((screen) => screen.name === "overview") ?? screens.find((screen) => screen.nav);
  return `/console${first?.routes[0]?.path ?? "/"}`;
}
