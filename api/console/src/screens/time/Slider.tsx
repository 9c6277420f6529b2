import { useId, useState } from "react";
import { Choice } from "../../parts/form/Choice.tsx";
import { momentAt, positionOf, STRETCHES, type Stretch } from "../../pure/slider.ts";
import { text } from "./text.ts";

type Props = { at: string; now: number; onChange: (at: string) => void };
const OPTIONS = Object.entries(text.stretches).map(([id, title]) => ({ id, title }));

export function Slider({ at, now, onChange }: Props) {
  const id = useId();
  const [stretch, setStretch] = useState<Stretch>("day");
  return (
    <div className="time-slider">
      <div className="entry">
        <label htmlFor={id}>{text.slider}</label>
        <input
          id={id}
          type="range"
          min={0}
          max={STRETCHES[stretch]}
          value={positionOf(at, stretch, now)}
          aria-valuetext={at}
          onChange={(event) => onChange(momentAt(Number(event.target.value), stretch, now))}
        />
      </div>
      <Choice
        label={text.stretch}
        value={stretch}
        options={OPTIONS}
        onChange={(chosen) => setStretch(chosen as Stretch)}
      />
    </div>
  );
}
