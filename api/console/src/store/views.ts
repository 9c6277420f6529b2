// The views of lists that somebody keeps in this browser.
import { newKey } from "../pure/key.ts";
import { createStore } from "../pure/store.ts";
import { type View, viewsOf, withView } from "../pure/views.ts";
import { keep, read } from "./stored.ts";

export const views = createStore<readonly View[]>(kept());

export function keepView(made: Omit<View, "id">): void {
  change((all) => withView(all, { ...made, id: newKey() }));
}

export function renameView(view: View, name: string): void {
  change((all) => withView(without(all, view), { ...view, name }));
}

export function deleteView(view: View): void {
  change((all) => without(all, view));
}

function without(all: readonly View[], view: View): View[] {
  return all.filter(({ id }) => id !== view.id);
}

function kept(): View[] {
  return viewsOf(read("views", "device"));
}

// Another tab may have changed them meanwhile, so they are read anew.
function change(how: (all: readonly View[]) => View[]): void {
  const changed = how(kept());
  keep("views", "device", JSON.stringify(changed));
  views.set(changed);
}
