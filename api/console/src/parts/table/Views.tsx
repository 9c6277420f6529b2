// The views of this list that are kept in this browser: opened, renamed, deleted, and sent to others by their address.
import { useLocation } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button, Dialog, DialogTrigger, Link, Popover } from "react-aria-components";
import { addressOf, isAt, type View } from "../../pure/views.ts";
import { deleteView, keepView, renameView, views } from "../../store/views.ts";
import { text } from "../../text/frame.ts";
import { Copy } from "../call/Copy.tsx";
import { Entry } from "../form/Entry.tsx";
import { useStore } from "../useStore.ts";
import { useUrl } from "../useUrl.ts";

type Props = { table: string; columns: readonly string[] | null };

export function Views({ table, columns }: Props) {
  const [words] = useUrl();
  const { pathname } = useLocation();
  const kept = useStore(views).filter((view) => isAt(view, pathname, table));
  const here = addressOf(pathname, words, table, columns);
  return (
    <DialogTrigger>
      <Button className="small">{text.views.title}</Button>
      <Popover>
        <Dialog aria-label={text.views.title} className="stack">
          {({ close }) => (
            <>
              {kept.length === 0 && <p className="quiet">{text.views.none}</p>}
              {kept.map((view) => (
                <OneView key={view.id} view={view} isHere={view.to === here} onOpened={close} />
              ))}
              <Naming
                label={text.views.name}
                start=""
                action={text.views.keep}
                onNamed={(name) => keepView({ name, table, to: here })}
              />
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

type OneProps = { view: View; isHere: boolean; onOpened: () => void };

function OneView({ view, isHere, onOpened }: OneProps) {
  const [renaming, setRenaming] = useState(false);
  if (renaming) {
    return (
      <Naming
        label={text.views.newName(view.name)}
        start={view.name}
        action={text.views.rename}
        onNamed={(name) => {
          renameView(view, name);
          setRenaming(false);
        }}
      />
    );
  }
  return (
    <div className="row">
      <Link href={view.to} aria-current={isHere ? "page" : undefined} onPress={onOpened}>
        {view.name}
      </Link>
      <Copy of={`${location.origin}/console${view.to}`} label={text.views.copyOf(view.name)} />
      <Button
        className="small"
        aria-label={text.views.renameOne(view.name)}
        onPress={() => setRenaming(true)}
      >
        {text.views.rename}
      </Button>
      <Button className="small" aria-label={text.views.removeOne(view.name)} onPress={() => deleteView(view)}>
        {text.views.remove}
      </Button>
    </div>
  );
}

type NamingProps = { label: string; start: string; action: string; onNamed: (name: string) => void };

function Naming({ label, start, action, onNamed }: NamingProps) {
  const [name, setName] = useState(start);
  function done(event: FormEvent) {
    event.preventDefault();
    if (name.trim() === "") return;
    onNamed(name.trim());
    setName(start);
  }
  return (
    <form className="row" onSubmit={done}>
      <Entry label={label} value={name} onChange={setName} autoComplete="off" />
      <Button type="submit" className="small">
        {action}
      </Button>
    </form>
  );
}
