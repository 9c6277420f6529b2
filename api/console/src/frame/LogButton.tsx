import { useCallback, useState } from "react";
import { Button, Checkbox, Dialog, DialogTrigger, Heading, Modal } from "react-aria-components";
import { log } from "../api/log.ts";
import { planOf, scriptOf } from "../api/plans.ts";
import { Moment } from "../parts/Moment.tsx";
import { save } from "../parts/save.ts";
import { useStore } from "../parts/useStore.ts";
import { text } from "../text/frame.ts";
import { useKey } from "./useKey.ts";

export function LogButton() {
  const [open, setOpen] = useState(false);
  useKey(
    "l",
    useCallback(() => setOpen(true), []),
  );
  return (
    <DialogTrigger isOpen={open} onOpenChange={setOpen}>
      <Button className="quiet">{text.log.open}</Button>
      <Modal isDismissable className="react-aria-Modal drawer">
        <Dialog>
          <Heading slot="title">{text.log.title}</Heading>
          <Log />
        </Dialog>
      </Modal>
    </DialogTrigger>
  );
}

function Log() {
  const entries = useStore(log);
  const [reads, setReads] = useState(false);
  const shown = entries.filter((entry) => reads || entry.call).reverse();
  return (
    <div className="stack">
      <div className="row">
        <Checkbox className="check" isSelected={reads} onChange={setReads}>
          {text.log.reads}
        </Checkbox>
        <Button onPress={() => save("calls.sh", scriptOf(entries, location.origin))}>
          {text.log.script}
        </Button>
        <Button onPress={() => save("plan.json", planOf(entries))}>{text.log.plan}</Button>
      </div>
      <p className="quiet">{text.log.planLacks}</p>
      {shown.length === 0 && <p>{text.log.none}</p>}
      <ol className="calls">
        {shown.map((entry) => (
          <li key={entry.no}>
            <Moment at={new Date(entry.at).toISOString()} /> <code>{`${entry.method} ${entry.url}`}</code>{" "}
            <span>{entry.status}</span>
          </li>
        ))}
      </ol>
      <Button slot="close">{text.close}</Button>
    </div>
  );
}
