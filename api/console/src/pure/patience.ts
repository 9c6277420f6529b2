// How long to wait with what others are not to be asked for too often.

const SOON = 3000;

// Before a stream that was lost is opened again: soon the first time, then seldom, for others may have lost theirs too.
export function pauseAfter(failures: number, retryMs: number | null, seldom: number): number {
  return failures > 1 ? seldom : (retryMs ?? SOON);
}

// Until what was done at `last` may be done again, in milliseconds.
export function dueIn(now: number, last: number | undefined, gap: number): number {
  return last === undefined ? 0 : Math.max(0, last + gap - now);
}
