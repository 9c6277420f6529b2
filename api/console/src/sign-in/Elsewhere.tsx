import { Button } from "react-aria-components";
import { Copy } from "../parts/call/Copy.tsx";
import { useStore } from "../parts/useStore.ts";
import { session } from "../session/session.ts";
import { text } from "./text.ts";

const COMMAND = "ipam token create --name first --role admin";

export function Elsewhere({ onHasToken }: { onHasToken: () => void }) {
  const now = useStore(session);
  return (
    <section>
      <h1>{text.elsewhere.title}</h1>
      <p>{text.elsewhere.explain}</p>
      <div className="stack">
        <pre>{COMMAND}</pre>
        <Copy of={COMMAND} />
        <p>{text.elsewhere.afterwards}</p>
        {now.state === "elsewhere" && (
          <p className="quiet">
            {text.elsewhere.reason} {now.reason}
          </p>
        )}
        <Button className="primary" onPress={onHasToken}>
          {text.elsewhere.enter}
        </Button>
      </div>
    </section>
  );
}
