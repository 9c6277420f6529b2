// The button above a table that opens a form; who may not create is not offered it.
import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import type { May } from "../session/session.ts";
import { Drawer } from "./Drawer.tsx";
import { useMay } from "./useSession.ts";

type Props = {
  title: string;
  may?: May;
  children: (close: () => void) => ReactNode;
};

export function CreateButton({ title, may = "write", children }: Props) {
  const permitted = useMay(may);
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (!permitted) return null;
  return (
    <>
      <Button className="small primary" onPress={() => setOpen(true)}>
        {title}
      </Button>
      {open && (
        <Drawer title={title} onClose={close}>
          {children(close)}
        </Drawer>
      )}
    </>
  );
}
