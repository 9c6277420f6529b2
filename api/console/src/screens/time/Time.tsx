// Any address or small subnet at any moment, chosen with a slider or typed. The URL contains place and
// moment.
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import { Entry } from "../../parts/form/Entry.tsx";
import { useSettled } from "../../parts/useSettled.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { identify } from "../../pure/identify.ts";
import { Found } from "./Found.tsx";
import { PastMap } from "./PastMap.tsx";
import { Slider } from "./Slider.tsx";
import "./time.css";
import { text } from "./text.ts";

export default function Time() {
  const [words, change] = useUrl();
  const [place, setPlace] = useState(words.q ?? "");
  const [now] = useState(() => Date.now());
  const [at, setAt] = useState(words.at ?? new Date(now).toISOString());
  const told = useSettled(`${place}\n${at}`, 200);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed or slid is told
  useEffect(() => {
    change({ q: place, at: isMoment(at) ? at : undefined }, { replace: true });
  }, [told]);
  const typed = identify(words.q ?? "");
  const where = typed?.kind === "ip" || typed?.kind === "within" ? typed : null;
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      <p className="quiet">{text.explain}</p>
      <search className="filters">
        <Entry
          label={text.place}
          hint={text.placeHint}
          value={place}
          onChange={setPlace}
          type="search"
          autoComplete="off"
          error={typed && !where ? text.notPlace : undefined}
        />
        <Entry
          label={text.at}
          hint={text.atHint}
          value={at}
          onChange={setAt}
          autoComplete="off"
          error={isMoment(at) ? undefined : text.notMoment}
        />
        <Button onPress={() => setAt(new Date().toISOString())}>{text.now}</Button>
      </search>
      <Slider at={at} now={now} onChange={setAt} />
      {where && words.at ? (
        <>
          <PastMap where={where} at={words.at} />
          <Found where={where} at={words.at} />
        </>
      ) : (
        <p>{text.ask}</p>
      )}
    </div>
  );
}

function isMoment(at: string): boolean {
  return !Number.isNaN(Date.parse(at)) && /^\d{4}-\d\d-\d\dT/.test(at);
}
