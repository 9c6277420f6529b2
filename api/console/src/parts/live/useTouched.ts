// Whether the pointer is over an element, or the focus in it: then nothing in it may move.
import { type RefObject, useEffect, useState } from "react";

export function useTouched(ref: RefObject<HTMLElement | null>): boolean {
  const [isOver, setOver] = useState(false);
  const [isWithin, setWithin] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const over = (event: Event) => setOver(event.type === "pointerenter");
    const within = (event: FocusEvent) =>
      setWithin(event.type === "focusin" || element.contains(event.relatedTarget as Node | null));
    element.addEventListener("pointerenter", over);
    element.addEventListener("pointerleave", over);
    element.addEventListener("focusin", within);
    element.addEventListener("focusout", within);
    return () => {
      element.removeEventListener("pointerenter", over);
      element.removeEventListener("pointerleave", over);
      element.removeEventListener("focusin", within);
      element.removeEventListener("focusout", within);
    };
  }, [ref]);
  return isOver || isWithin;
}
