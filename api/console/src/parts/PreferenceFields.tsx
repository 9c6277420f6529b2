// How somebody likes the console: colours, the zone of times, the height of rows. A change holds at once.
import { Checkbox } from "react-aria-components";
import { type Preferences, prefer, preferences } from "../store/preferences.ts";
import { text } from "../text/frame.ts";
import { Choice } from "./form/Choice.tsx";
import { useStore } from "./useStore.ts";

const THEMES = [
  { id: "system", title: text.preferences.system },
  { id: "light", title: text.preferences.light },
  { id: "dark", title: text.preferences.dark },
];
const ZONES = [
  { id: "local", title: text.preferences.local },
  { id: "UTC", title: text.preferences.utc },
  ...Intl.supportedValuesOf("timeZone").map((zone) => ({ id: zone, title: zone })),
];

// Texts are taken from the catalogues when the page is loaded.
function choosePseudo(pseudo: boolean): void {
  prefer({ pseudo });
  location.reload();
}

export function PreferenceFields() {
  const now = useStore(preferences);
  return (
    <>
      <Choice
        label={text.preferences.theme}
        options={THEMES}
        value={now.theme}
        onChange={(theme) => prefer({ theme: theme as Preferences["theme"] })}
      />
      <Choice
        label={text.preferences.zone}
        options={ZONES}
        value={now.zone}
        onChange={(zone) => prefer({ zone })}
      />
      <Checkbox className="check" isSelected={now.compact} onChange={(compact) => prefer({ compact })}>
        {text.preferences.compact}
      </Checkbox>
      <Checkbox className="check" isSelected={now.pseudo} onChange={choosePseudo}>
        {text.preferences.pseudo}
      </Checkbox>
    </>
  );
}
