import { catalogue } from "../../text/catalogue.ts";

export const text = catalogue({
  title: "Nodes",
  empty: "No process has told of itself.",
  columns: {
    name: "Name",
    role: "Does",
    state: "State",
    version: "Version",
    heartbeat: "Last heard",
    packets: "Packets/s",
    acks: "Answers with an address/s",
    half: "Half of commits within",
    most: "99 % of commits within",
    started: "Started",
    detail: "Needs attention",
  },
  states: {
    starting: "Starting",
    ready: "Ready",
    degraded: "Degraded",
    draining: "Draining",
    stopped: "Stopped",
    down: "Down",
  },
  milliseconds: (value: number) => `${value} ms`,
  drain: "Drain",
  drainTitle: (name: string) => `Drain ${name}?`,
  drainExplain:
    "It answers clients that it has and takes no new ones, until it is stopped. Others take over in the meantime.",
  force: "Drain anyway",
  forceTitle: (name: string) => `Drain ${name} although it is the last one?`,
  forceExplain: "If no other server of its family is ready, no client gets an address until one is.",
  undrain: "Undrain",
  undrainTitle: (name: string) => `Undrain ${name}?`,
  undrainExplain: "It serves its clients again within some seconds, if its process still runs.",
  forget: "Forget",
});
