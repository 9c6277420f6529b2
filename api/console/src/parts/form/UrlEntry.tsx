// A field whose text is a word of the URL. It stands there at once where nobody would type on, else when typing rests; who
// opens another address, such as a kept view, finds the field as that says.
import { useEffect, useRef, useState } from "react";
import { isWhole } from "../../pure/identify.ts";
import { useUrl } from "../useUrl.ts";
import { Entry } from "./Entry.tsx";

const RESTS_MS = 100;
type Props = { label: string; hint?: string; word?: string };

export function UrlEntry({ label, hint, word = "q" }: Props) {
  const [{ [word]: told = "" }, change] = useUrl();
  const [typed, setTyped] = useState(told);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef<string[]>([]); // what the URL has not shown yet
  useEffect(() => {
    const known = sent.current.lastIndexOf(told);
    sent.current = sent.current.slice(known + 1);
    if (known >= 0) return;
    clearTimeout(timer.current);
    setTyped(told);
  }, [told]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function type(text: string) {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        if (text !== told) sent.current.push(text);
        change({ [word]: text }, { replace: true });
      },
      isWhole(text) ? 0 : RESTS_MS,
    );
  }

  return <Entry label={label} hint={hint} type="search" value={typed} onChange={type} autoComplete="off" />;
}
