// How it is with the stream that a screen is fed by.
import { Button } from "react-aria-components";
import { text } from "../../text/frame.ts";
import type { Followed } from "./useEvents.ts";

export function LiveState({ followed: { state, again } }: { followed: Followed }) {
  return (
    <>
      <span role="status" className={state === "lost" ? "live bad" : "live"} data-state={state}>
        {text.live[state]}
      </span>
      {state === "lost" && (
        <Button className="small" onPress={again}>
          {text.again}
        </Button>
      )}
    </>
  );
}
