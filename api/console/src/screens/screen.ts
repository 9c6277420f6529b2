// What a folder of screens/ says of itself in its screen.ts: little, because all of these are loaded at once; the
// pages are loaded when somebody goes there.
import type { ComponentType } from "react";
import type { Call } from "../api/calls.ts";
import type { components } from "../api/schema";
import type { May } from "../session/session.ts";

export type Hit = components["schemas"]["Hit"];

export type Screen = {
  // The folder's name.
  readonly name: string;
  readonly title: string;
  // Where it stands in the navigation; left out: it is reached from elsewhere.
  readonly nav?: { readonly group: "addresses" | "names" | "system"; readonly order: number };
  // The first is where the navigation leads.
  readonly routes: readonly Route[];
  readonly may?: May;
  // Whether it shows what the search found of a type, and where.
  readonly opens?: Readonly<Record<string, (hit: Hit) => string>>;
  // What the palette offers beside going there.
  readonly actions?: readonly { readonly title: string; readonly to: string; readonly may: May }[];
};

export type Route = {
  // Of TanStack Router: "/subnets/$id".
  readonly path: string;
  readonly load: () => Promise<{ default: ComponentType }>;
  // What the page reads first, begun while it is loaded; `words` are those of the URL.
  readonly reads?: (id: string, words: Readonly<Record<string, string | undefined>>) => readonly Call[];
};
