import { text } from "../../text/space.ts";
import "./space.css";

export function percent(share: number): string {
  const hundred = share * 100;
  return `${hundred > 0 && hundred < 10 ? hundred.toFixed(1) : hundred.toFixed(0)} %`;
}

// How full something is, as a bar with its number beside it; null: nobody counted yet.
export function Meter({ share }: { share: number | null }) {
  if (share === null) return <span className="quiet">{text.notCounted}</span>;
  return (
    <span className="space-meter">
      <meter
        min={0}
        max={1}
        low={0.8}
        high={0.95}
        optimum={0}
        value={share}
        aria-label={text.full(percent(share))}
      />
      <span>{percent(share)}</span>
    </span>
  );
}
