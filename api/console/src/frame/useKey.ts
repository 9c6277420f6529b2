import { useEffect } from "react";

// A key of the whole console; not while something is typed, unless Ctrl or Cmd is held with it.
export function useKey(key: string, act: () => void, withControl = false): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const control = event.ctrlKey || event.metaKey;
      if (event.key.toLowerCase() !== key || control !== withControl || event.altKey) return;
      // A list that a field moves through hears the field's keys too, by events of their own.
      if (!withControl && (isTyped(event.target) || isTyped(document.activeElement))) return;
      event.preventDefault();
      act();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [key, act, withControl]);
}

function isTyped(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))
  );
}
