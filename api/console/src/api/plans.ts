// The log of a session as a shell script, or as a plan for POST /bulk.
import type { Entry } from "./log.ts";
import { asCurl, asOperation } from "./telling.ts";

const HEAD = `#!/bin/sh
# What was done in the console. It needs a token in IPAM_API_TOKEN.
set -e
`;

export function scriptOf(entries: readonly Entry[], origin: string): string {
  return [HEAD, ...done(entries).map((call) => `${asCurl(call, origin)}\n`)].join("\n");
}

export function planOf(entries: readonly Entry[]): string {
  const operations = done(entries).flatMap((call) => asOperation(call) ?? []);
  return `${JSON.stringify({ operations }, null, 2)}\n`;
}

// What was refused, and what was only tried, is not done again.
function done(entries: readonly Entry[]) {
  return entries.flatMap(({ call, status }) => (call && status < 300 && !call.query.dry_run ? [call] : []));
}
