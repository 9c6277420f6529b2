// What opens over a screen: a form, an object's details. Escape closes it and gives the focus back.
import { type ReactNode, useEffect, useRef } from "react";
import { Button, Dialog, Heading, Modal } from "react-aria-components";
import { text } from "../text/frame.ts";

type Props = { title: string; onClose: () => void; children: ReactNode };

export function Drawer({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLElement>(null);
  // A button that goes when it was pressed takes the focus with it, and Escape would be heard by nobody.
  useEffect(() => {
    if (document.activeElement === document.body) dialog.current?.focus();
  });
  return (
    <Modal
      isOpen
      isDismissable
      className="react-aria-Modal drawer"
      onOpenChange={(open) => open || onClose()}
    >
      <Dialog ref={dialog}>
        <div className="row drawer-head">
          <Heading slot="title">{title}</Heading>
          <Button className="quiet" onPress={onClose}>
            {text.close}
          </Button>
        </div>
        {children}
      </Dialog>
    </Modal>
  );
}
