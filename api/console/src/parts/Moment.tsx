import { elsewhere, inZone } from "../pure/moments.ts";
import { preferences } from "../store/preferences.ts";
import { useStore } from "./useStore.ts";

interface Props {
  at: string | null;
  inRow?: boolean;
  none?: string | null;
}

// A moment in the chosen zone; on focus and under the pointer the other zones too. In tables, whose rows take the
// focus, `inRow` leaves the focus to them.
// `none`: what is shown where there is no moment.
export function Moment({ at, inRow = false, none = null }: Props) {
  const { zone } = useStore(preferences);
  if (at === null) return none;
  const others = elsewhere(at, zone);
  return (
    <time dateTime={at} className="moment" tabIndex={inRow ? undefined : 0}>
      {inZone(at, zone)}
      <span className="moment-others">
        {others.map(({ zone: name, says }) => (
          <span key={name}>{`${says} ${name}`}</span>
        ))}
      </span>
    </time>
  );
}
