import { text as shared } from "../text/frame.ts";
import { Moment } from "./Moment.tsx";

interface Props {
  of: { ended_at: string | null; expires_at: string | null };
  // How it ended, where nothing else in the row says it.
  how?: string | null;
  inRow?: boolean;
}

// When a lease actually ended, else when it expires unless its client renews it.
export function LeaseEnd({ of, how = null, inRow = false }: Props) {
  if (of.ended_at === null) return <Moment at={of.expires_at} none={shared.never} inRow={inRow} />;
  return (
    <>
      {how !== null && `${how} `}
      <Moment at={of.ended_at} inRow={inRow} />
    </>
  );
}
