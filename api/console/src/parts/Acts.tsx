// What can be done with an object: a button each, and in their place the form of the one that was chosen. What the
// token's role may not do has no button.
import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import type { May } from "../session/session.ts";
import { useMay } from "./useSession.ts";

export type Act = {
  readonly id: string;
  readonly title: string;
  readonly may: May;
  readonly form: (close: () => void) => ReactNode;
};

export function Acts({ acts }: { acts: readonly Act[] }) {
  const [chosen, setChosen] = useState<string>();
  const may = { read: useMay("read"), write: useMay("write"), operate: useMay("operate") };
  const permitted = acts.filter((act) => (act.may === "administer" ? may.write : may[act.may]));
  const act = permitted.find(({ id }) => id === chosen);
  if (act) return act.form(() => setChosen(undefined));
  if (permitted.length === 0) return null;
  return (
    <div className="row">
      {permitted.map(({ id, title }) => (
        <Button key={id} onPress={() => setChosen(id)}>
          {title}
        </Button>
      ))}
    </div>
  );
}
