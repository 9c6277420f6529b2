// Who is here: what the console shows before anything else, and what the token in use may do.
import { Problem } from "../api/problem.ts";
import type { components } from "../api/schema";
import { send } from "../api/transport.ts";
import { createStore } from "../pure/store.ts";
import { bootstrapCode } from "../store/code.ts";
import { dropToken, token } from "../store/token.ts";

export type Token = components["schemas"]["Token"];
export type Session =
  | { state: "looking" }
  | { state: "first-token" } // no token has ever existed, and this browser may make it: its account may, or it has a code
  | { state: "elsewhere"; reason: string } // likewise, and it may not
  | { state: "signed-out" }
  | { state: "away"; problem: Problem } // nobody answers for the API
  | { state: "in"; self: Token };

export const session = createStore<Session>({ state: "looking" });

export async function look(): Promise<void> {
  session.set(await find());
}

async function find(): Promise<Session> {
  try {
    const answer = await send(new Request("/api/v1/tokens/self"), token.get());
    if (answer.ok) return { state: "in", self: (await answer.json()) as Token };
    if (answer.status === 401) dropToken();
    return stateOf(new Problem(answer.status, await answer.json().catch(() => undefined)));
  } catch {
    return { state: "away", problem: new Problem(0, undefined) };
  }
}

function stateOf(problem: Problem): Session {
  if (problem.status === 404) return { state: "first-token" };
  if (problem.status === 403 && bootstrapCode() !== null) return { state: "first-token" };
  if (problem.status === 403) return { state: "elsewhere", reason: problem.message };
  if (problem.status === 401) return { state: "signed-out" };
  return { state: "away", problem };
}

// A new token was given: who is it? Whoever waits in transport.ts goes on by itself.
token.subscribe(() => {
  if (token.get() !== null) void look();
});

export function signOut(): void {
  dropToken();
  session.set({ state: "signed-out" });
}

// The table of api/http/guards.py: what a role may not do is not offered, and the API refuses it anyway.
const MAY = {
  read: ["admin", "operator", "viewer"],
  write: ["admin"],
  operate: ["admin", "operator"],
  administer: ["admin"],
} as const;
export type May = keyof typeof MAY;

export function may(what: May): boolean {
  const now = session.get();
  return now.state === "in" && (MAY[what] as readonly string[]).includes(now.self.role);
}
