// The way of every request: it is signed, waits out a 429, and asks for a token again at a 401 without losing what
// the request carries.
import { createStore } from "../pure/store.ts";
import { bootstrapCode } from "../store/code.ts";
import { dropToken, token } from "../store/token.ts";
import { note } from "./log.ts";

// Seconds that the server asked to wait, while that goes on.
export const waiting = createStore<number | null>(null);

export async function transport(request: Request): Promise<Response> {
  for (;;) {
    const secret = token.get();
    const answer = await send(request.clone(), secret);
    if (answer.status === 401 && secret !== null) await newToken(secret);
    else if (answer.status === 429) await waitOut(Number(answer.headers.get("retry-after") ?? 1));
    else return answer;
  }
}

export async function send(request: Request, secret: string | null): Promise<Response> {
  if (secret !== null) request.headers.set("authorization", `Bearer ${secret}`);
  else showCode(request);
  // biome-ignore lint/style/noRestrictedGlobals: the door itself
  const answer = await fetch(request);
  if (request.method === "GET") note(request.method, request.url, answer.status); // others: ask.ts, with their bodies
  return answer;
}

// Neither the preview of a call nor the log of calls has it.
function showCode(request: Request): void {
  const code = bootstrapCode();
  const makesToken = request.method === "POST" && new URL(request.url).pathname === "/api/v1/tokens";
  if (code !== null && makesToken) request.headers.set("bootstrap-code", code);
}

// Resolves when there is another token than the one that was refused.
function newToken(refused: string): Promise<void> {
  if (token.get() === refused) dropToken();
  return new Promise((resolve) => {
    if (token.get() !== null) resolve();
    const stop = token.subscribe(() => {
      if (token.get() === null) return;
      stop();
      resolve();
    });
  });
}

async function waitOut(seconds: number): Promise<void> {
  waiting.set(seconds);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  waiting.set(null);
}
