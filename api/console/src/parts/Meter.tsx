// How much of something is used: a bar with its figure beside it, so that neither colour nor length alone tells it.
type Props = { label: string; part: number; of: number; says: string };

export function Meter({ label, part, of, says }: Props) {
  return (
    <span className="meter">
      <meter aria-label={label} value={of === 0 ? 0 : part} max={of || 1} high={(of || 1) * 0.9}>
        {says}
      </meter>
      <span>{says}</span>
    </span>
  );
}
