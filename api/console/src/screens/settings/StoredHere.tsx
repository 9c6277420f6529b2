// All that the console keeps in this browser, to see and to forget.
import { useState } from "react";
import { Button } from "react-aria-components";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { forgetColumns } from "../../parts/table/columns.ts";
import { useStore } from "../../parts/useStore.ts";
import { signOut } from "../../session/session.ts";
import { forgetPreferences, preferences } from "../../store/preferences.ts";
import { all, forget, type Item } from "../../store/stored.ts";
import { chooseTenant, tenant } from "../../store/tenant.ts";
import { takeToken, token } from "../../store/token.ts";
import { text } from "./text.ts";

const COLUMNS = "columns.";

export function StoredHere() {
  useStore(preferences);
  useStore(tenant);
  useStore(token);
  const [, setTimes] = useState(0);
  const items = all();
  const others = items.filter(({ name }) => name !== "token");
  function act(what: () => void) {
    what();
    setTimes((times) => times + 1); // what is kept is no store that tells of itself
  }
  return (
    <section className="panel stack">
      <h2>{text.kept}</h2>
      <p className="quiet">{text.keptExplain}</p>
      <PlainTable
        label={text.kept}
        rows={items}
        idOf={({ name, kept }) => `${kept} ${name}`}
        empty={text.keptNothing}
        columns={[
          { title: text.item.name, cell: nameOf },
          { title: text.item.place, cell: ({ kept }) => text.places[kept] },
          { title: text.item.value, cell: shownOf },
          { title: text.item.act, cell: (item) => <Acts item={item} act={act} /> },
        ]}
      />
      {others.length > 0 && (
        <div className="row">
          <Button onPress={() => act(() => others.forEach(forgetItem))}>{text.forgetAll}</Button>
        </div>
      )}
    </section>
  );
}

function Acts({ item, act }: { item: Item; act: (what: () => void) => void }) {
  if (item.name !== "token") {
    return (
      <Button
        className="small"
        aria-label={text.forgetOne(nameOf(item))}
        onPress={() => act(() => forgetItem(item))}
      >
        {text.forget}
      </Button>
    );
  }
  return (
    <span className="row">
      <Button className="small" onPress={signOut}>
        {text.forgetToken}
      </Button>
      {item.kept === "device" && (
        <Button className="small" onPress={() => act(() => takeToken(item.value, "tab"))}>
          {text.onlyTab}
        </Button>
      )}
    </span>
  );
}

function nameOf({ name }: Item): string {
  if (name.startsWith(COLUMNS)) return text.columnsOf(name.slice(COLUMNS.length));
  return (text.names as Record<string, string>)[name] ?? name;
}

function shownOf({ name, value }: Item) {
  return name === "token" ? text.hidden : <code>{value}</code>;
}

function forgetItem({ name }: Item): void {
  if (name === "preferences") forgetPreferences();
  else if (name === "tenant") chooseTenant(null);
  else if (name.startsWith(COLUMNS)) forgetColumns(name.slice(COLUMNS.length));
  else forget(name);
}
