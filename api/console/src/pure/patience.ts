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

const LATE = 1500; // milliseconds that an event may take to get here

// Whether an event that is told now is of before a reading, which so has what it tells. The clock here may be wrong, so that
// is trusted only just after the reading.
export function isTold(timestamp: string, readAt: number, now: number): boolean {
  return now - readAt < LATE && Date.parse(timestamp) <= readAt;
}
