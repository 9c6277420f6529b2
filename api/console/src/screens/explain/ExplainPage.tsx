// The answer of the engine to a client that you describe. The URL may contain the inputs:
// ?family=6&duid=...
import { Explain } from "../../parts/explain/Explain.tsx";
import { Choice } from "../../parts/form/Choice.tsx";
import { useUrl } from "../../parts/useUrl.ts";
import { text } from "./text.ts";

export default function ExplainPage() {
  const [words, change] = useUrl();
  const family = words.family === "6" ? "6" : "4";
  const start = Object.fromEntries(
    Object.entries(words).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      <Choice
        label={text.family}
        value={family}
        options={Object.entries(text.families).map(([id, title]) => ({ id, title }))}
        onChange={(chosen) => change({ family: chosen })}
      />
      <Explain key={family} family={family} start={start} />
    </div>
  );
}
