import { Button, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { PreferenceFields } from "../parts/PreferenceFields.tsx";
import { useStore } from "../parts/useStore.ts";
import { session, signOut } from "../session/session.ts";
import { text } from "../text/frame.ts";

export function PreferencesMenu() {
  const who = useStore(session);
  return (
    <DialogTrigger>
      <Button className="quiet">{text.preferences.title}</Button>
      <Popover>
        <Dialog aria-label={text.preferences.title} className="stack">
          {who.state === "in" && <p>{text.signedInAs(who.self.name, who.self.role)}</p>}
          <PreferenceFields />
          <Button onPress={signOut}>{text.signOut}</Button>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
