// The line that says how much has changed since something was read, and a button that reads it anew.
import { Button } from "react-aria-components";
import { text } from "../../text/frame.ts";
import { LiveState } from "./LiveState.tsx";
import { useChanges, type Watch } from "./useChanges.ts";

type Props = { watch: Watch; readAt: number; onShow: () => void };

export function Changes({ watch, readAt, onShow }: Props) {
  const [count, followed] = useChanges(watch, readAt);
  return (
    <>
      <span role="status">{count > 0 && text.changes.since(count)}</span>
      {count > 0 && (
        <Button className="small" onPress={onShow}>
          {text.changes.show}
        </Button>
      )}
      {followed.state === "lost" && <LiveState followed={followed} />}
    </>
  );
}
