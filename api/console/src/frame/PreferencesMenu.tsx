import { Button, Checkbox, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { Choice } from "../parts/form/Choice.tsx";
import { useStore } from "../parts/useStore.ts";
import { type Preferences, prefer, preferences } from "../session/preferences.ts";
import { session, signOut } from "../session/session.ts";
import { text } from "../text/frame.ts";

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

export function PreferencesMenu() {
  const now = useStore(preferences);
  const who = useStore(session);
  return (
    <DialogTrigger>
      <Button className="quiet">{text.preferences.title}</Button>
      <Popover>
        <Dialog aria-label={text.preferences.title} className="stack">
          {who.state === "in" && <p>{text.signedInAs(who.self.name, who.self.role)}</p>}
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
          <Button onPress={signOut}>{text.signOut}</Button>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
