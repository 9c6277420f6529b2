import { useState } from "react";
import { Button } from "react-aria-components";
import { text } from "../../text/frame.ts";

// Over plain HTTP from another host browsers give pages no clipboard: then there is no button, and people select.
export function Copy({ of, label }: { of: string; label?: string }) {
  const [copied, setCopied] = useState<string>();
  if (!window.isSecureContext) return null;
  return (
    <Button
      className="small"
      aria-label={label}
      onPress={() => void navigator.clipboard.writeText(of).then(() => setCopied(of))}
    >
      {copied === of ? text.call.copied : text.call.copy}
    </Button>
  );
}
