// A secret that the API tells once: it is in no store, and gone when what shows it closes.
import { Button } from "react-aria-components";
import { text } from "../text/frame.ts";
import { Copy } from "./call/Copy.tsx";

type Props = { label: string; secret: string; onDone: () => void };

export function Secret({ label, secret, onDone }: Props) {
  return (
    <div className="stack">
      <p className="notice">{text.secret.once}</p>
      <output className="secret" aria-label={label}>
        {secret}
      </output>
      <div className="row">
        <Copy of={secret} />
        <Button className="primary" onPress={onDone}>
          {text.secret.kept}
        </Button>
      </div>
    </div>
  );
}
