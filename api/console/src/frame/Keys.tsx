import { useCallback, useState } from "react";
import { Button, Dialog, DialogTrigger, Heading, Modal } from "react-aria-components";
import { text } from "../text/frame.ts";
import { useKey } from "./useKey.ts";

const KEYS: readonly [string, string][] = [
  ["Ctrl+K  /", text.keys.palette],
  ["?", text.keys.help],
  ["L", text.keys.log],
  ["↑ ↓ Home End", text.keys.rows],
  ["Enter", text.keys.open],
  ["Space", text.keys.select],
  ["F2", text.keys.change],
];

export function Keys() {
  const [open, setOpen] = useState(false);
  useKey(
    "?",
    useCallback(() => setOpen(true), []),
  );
  return (
    <DialogTrigger isOpen={open} onOpenChange={setOpen}>
      <Button className="quiet" aria-label={text.keys.title}>
        ?
      </Button>
      <Modal isDismissable>
        <Dialog>
          <Heading slot="title">{text.keys.title}</Heading>
          <dl className="facts">
            {KEYS.map(([keys, meaning]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
          <Button slot="close">{text.close}</Button>
        </Dialog>
      </Modal>
    </DialogTrigger>
  );
}
