// What opens over a screen: a form, an object's details. Escape closes it and gives the focus back.
import type { ReactNode } from "react";
import { Button, Dialog, Heading, Modal } from "react-aria-components";
import { text } from "../text/frame.ts";

type Props = { title: string; onClose: () => void; children: ReactNode };

export function Drawer({ title, onClose, children }: Props) {
  return (
    <Modal
      isOpen
      isDismissable
      className="react-aria-Modal drawer"
      onOpenChange={(open) => open || onClose()}
    >
      <Dialog>
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
