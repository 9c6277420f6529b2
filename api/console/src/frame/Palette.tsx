// Ctrl+K or "/": what the search of the API finds, and where else one can go.
import { useCallback, useMemo, useState } from "react";
import {
  Autocomplete,
  Button,
  Dialog,
  DialogTrigger,
  Heading,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Modal,
  SearchField,
} from "react-aria-components";
import { useAsk } from "../api/ask.ts";
import { call } from "../api/calls.ts";
import { useSettled } from "../parts/useSettled.ts";
import { useStore } from "../parts/useStore.ts";
import type { View } from "../pure/views.ts";
import { placeOf, screens } from "../screens/all.ts";
import { may } from "../session/session.ts";
import { views } from "../store/views.ts";
import { text } from "../text/frame.ts";
import { useKey } from "./useKey.ts";

type Place = { id: string; title: string; kind: string; to: string };

export function Palette() {
  const [open, setOpen] = useState(false);
  const show = useCallback(() => setOpen(true), []);
  useKey("/", show);
  useKey("k", show, true);
  return (
    <DialogTrigger isOpen={open} onOpenChange={setOpen}>
      <Button className="search">
        {text.palette.open} <kbd>/</kbd>
      </Button>
      <Modal isDismissable className="react-aria-Modal palette">
        <Dialog>
          <Heading slot="title">{text.palette.title}</Heading>
          <Finder onGone={() => setOpen(false)} />
        </Dialog>
      </Modal>
    </DialogTrigger>
  );
}

function Finder({ onGone }: { onGone: () => void }) {
  const [typed, setTyped] = useState("");
  const places = usePlaces(typed.trim());
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <SearchField autoFocus className="entry">
        <Label>{text.palette.field}</Label>
        <Input />
      </SearchField>
      <ListBox
        aria-label={text.palette.title}
        items={places}
        onAction={onGone}
        renderEmptyState={() => text.palette.none}
      >
        {(place: Place) => (
          <ListBoxItem id={place.id} href={place.to} textValue={place.title}>
            {place.title} <span className="quiet">{place.kind}</span>
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
}

function usePlaces(typed: string): Place[] {
  const q = useSettled(typed, 120);
  const search = call("get", "/api/v1/search", { params: { query: { q, limit: 12 } } });
  const { data } = useAsk(q === "" ? null : search);
  const kept = useStore(views);
  const own = useMemo(() => [...ownPlaces(), ...viewPlaces(kept)].filter(isNamed(typed)), [typed, kept]);
  const hits = (q === "" ? [] : (data?.data.items ?? [])).flatMap((hit) => {
    const to = placeOf(hit);
    return to === undefined
      ? []
      : [{ id: `${hit.type}:${hit.id}`, title: hit.label, kind: kindOf(hit.type), to }];
  });
  return [...hits, ...own];
}

function kindOf(type: string): string {
  return (text.palette.kinds as Record<string, string>)[type] ?? type;
}

function isNamed(typed: string): (place: Place) => boolean {
  return ({ title }) => title.toLowerCase().includes(typed.toLowerCase());
}

function viewPlaces(kept: readonly View[]): Place[] {
  return kept.map(({ id, name, to }) => ({ id: `view:${id}`, title: name, kind: text.views.kind, to }));
}

function ownPlaces(): Place[] {
  return screens.flatMap((screen) => [
    ...(screen.nav && may(screen.may ?? "read")
      ? [{ id: screen.name, title: screen.title, kind: text.screens, to: screen.routes[0]?.path ?? "/" }]
      : []),
    ...(screen.actions ?? [])
      .filter((action) => may(action.may))
      .map((action) => ({ id: action.to, title: action.title, kind: screen.title, to: action.to })),
  ]);
}
