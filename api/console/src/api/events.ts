// The stream of events, read by fetch because EventSource cannot send the token. Cut off, it goes on behind what it saw
// last; while it cannot be had, the list of events is asked instead.
import { EventReader } from "../pure/eventReader.ts";
import { pauseAfter } from "../pure/patience.ts";
import { send } from "./ask.ts";
import { type Call, call, urlOf } from "./calls.ts";
import { Problem } from "./problem.ts";
import type { components, operations } from "./schema";
import { transport } from "./transport.ts";

export type Happening = components["schemas"]["Event"];
export type Pattern = NonNullable<
  NonNullable<operations["list_events"]["parameters"]["query"]>["type"]
>[number];
export type Following = "opening" | "live" | "lost";
// `past`: how many that have happened already are told first, and as many by the list while the stream is lost.
export type Wanted = {
  readonly type: readonly Pattern[];
  readonly tenant_id?: string;
  readonly past: number;
};
export type Listener = {
  readonly onEvents: (events: readonly Happening[]) => void; // in the order in which they happened
  readonly onState: (state: Following) => void;
};
export type Follower = { readonly start: () => void; readonly stop: () => void };

const SILENCE = 45_000; // the server shows every 15 s that it lives
const STEADY = 10_000; // a stream that lasted so long was no failure
// While the stream is lost, how often it is tried: who is told by the list instead is told twice a minute.
const SELDOM = { told: 30_000, untold: 60_000 };
const AWAY = 60_000; // who was away longer begins anew instead of being told all that happened

export function follower(wanted: Wanted, listener: Listener): Follower {
  let lastId = "";
  let stoppedAt = 0;
  let stopping: AbortController | undefined;
  return {
    start() {
      if (stopping !== undefined) return;
      stopping = new AbortController();
      const from = Date.now() - stoppedAt > AWAY ? "" : lastId;
      void follow(wanted, listener, from, stopping.signal, (id) => {
        lastId = id;
      });
    },
    stop() {
      stopping?.abort();
      stopping = undefined;
      stoppedAt = Date.now();
    },
  };
}

// Until it is stopped. `keep` hears how far it came.
async function follow(
  wanted: Wanted,
  listener: Listener,
  from: string,
  signal: AbortSignal,
  keep: (lastId: string) => void,
): Promise<void> {
  let lastId = from || (await askList(wanted, listener, signal));
  const seldom = wanted.past > 0 ? SELDOM.told : SELDOM.untold;
  let failures = 0;
  listener.onState("opening");
  while (!signal.aborted) {
    const reader = new EventReader(lastId);
    const began = Date.now();
    const isUnknown = await readStream(wanted, reader, listener, signal, keep);
    if (signal.aborted) return;
    listener.onState("lost");
    lastId = isUnknown ? "" : reader.lastId;
    failures = Date.now() - began > STEADY ? 0 : failures + 1;
    if (failures > 1) await askList(wanted, listener, signal);
    await pause(pauseAfter(failures, reader.retryMs, seldom), signal);
  }
}

// Until the stream ends. Whether the server does not know the place from which it was to go on.
async function readStream(
  wanted: Wanted,
  reader: EventReader,
  listener: Listener,
  signal: AbortSignal,
  keep: (lastId: string) => void,
): Promise<boolean> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE);
  try {
    for await (const piece of piecesOf(wanted, reader.lastId, AbortSignal.any([signal, silent.signal]))) {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENCE);
      if (signal.aborted) return false;
      listener.onState("live");
      const events = reader.read(piece).map(({ data }) => JSON.parse(data) as Happening);
      keep(reader.lastId);
      if (events.length > 0) listener.onEvents(events);
    }
    return false;
  } catch (problem) {
    return problem instanceof Problem && problem.status === 422;
  } finally {
    clearTimeout(timer);
  }
}

async function* piecesOf(wanted: Wanted, lastId: string, signal: AbortSignal): AsyncGenerator<string> {
  const headers = { accept: "text/event-stream", ...(lastId ? { "last-event-id": lastId } : {}) };
  const answer = await transport(new Request(urlOf(listOf(wanted)), { headers, signal }));
  if (!answer.ok || answer.body === null) {
    throw new Problem(answer.status, await answer.json().catch(() => undefined));
  }
  const decoder = new TextDecoder();
  const body = answer.body.getReader();
  for (;;) {
    const { done, value } = await body.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

// Tells what the list has, and answers the id of the newest.
async function askList(wanted: Wanted, listener: Listener, signal: AbortSignal): Promise<string> {
  if (wanted.past === 0) return "";
  const list = listOf(wanted);
  try {
    const { data } = await send({ ...list, query: { ...list.query, limit: wanted.past } }, signal);
    if (!signal.aborted) listener.onEvents(data.items.toReversed());
    return data.items[0]?.id ?? "";
  } catch {
    return ""; // the stream says how it is with the server
  }
}

function listOf({ type, tenant_id }: Wanted): Call<{ items: Happening[]; next_cursor: string | null }> {
  const query = { type: [...type], ...(tenant_id === undefined ? {} : { tenant_id }) };
  return call("get", "/api/v1/events", { params: { query } });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
